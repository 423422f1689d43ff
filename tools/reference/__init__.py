"""Facts about public functions, found in the source and by watching what calls record."""
