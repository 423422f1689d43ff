"""Numbers of the SPIR-V specification that the backend uses, and no others."""

from enum import IntEnum


class Op(IntEnum):
    """Instructions."""

    EXTENSION = 10
    EXT_INST_IMPORT = 11
    EXT_INST = 12
    MEMORY_MODEL = 14
    ENTRY_POINT = 15
    EXECUTION_MODE = 16
    CAPABILITY = 17
    TYPE_VOID = 19
    TYPE_BOOL = 20
    TYPE_INT = 21
    TYPE_FLOAT = 22
    TYPE_VECTOR = 23
    TYPE_ARRAY = 28
    TYPE_RUNTIME_ARRAY = 29
    TYPE_STRUCT = 30
    TYPE_POINTER = 32
    TYPE_FUNCTION = 33
    TYPE_FORWARD_POINTER = 39
    CONSTANT_TRUE = 41
    CONSTANT_FALSE = 42
    CONSTANT = 43
    CONSTANT_COMPOSITE = 44
    SPEC_CONSTANT = 50
    SPEC_CONSTANT_COMPOSITE = 51
    SPEC_CONSTANT_OP = 52
    FUNCTION = 54
    FUNCTION_PARAMETER = 55
    FUNCTION_END = 56
    FUNCTION_CALL = 57
    VARIABLE = 59
    LOAD = 61
    STORE = 62
    ACCESS_CHAIN = 65
    DECORATE = 71
    MEMBER_DECORATE = 72
    VECTOR_EXTRACT_DYNAMIC = 77
    VECTOR_INSERT_DYNAMIC = 78
    VECTOR_SHUFFLE = 79
    COMPOSITE_CONSTRUCT = 80
    COMPOSITE_EXTRACT = 81
    COMPOSITE_INSERT = 82
    CONVERT_F_TO_U = 109
    CONVERT_F_TO_S = 110
    CONVERT_S_TO_F = 111
    CONVERT_U_TO_F = 112
    U_CONVERT = 113
    S_CONVERT = 114
    F_CONVERT = 115
    BITCAST = 124
    S_NEGATE = 126
    F_NEGATE = 127
    I_ADD = 128
    F_ADD = 129
    I_SUB = 130
    F_SUB = 131
    I_MUL = 132
    F_MUL = 133
    U_DIV = 134
    S_DIV = 135
    F_DIV = 136
    U_MOD = 137
    U_MUL_EXTENDED = 151
    ANY = 154
    LOGICAL_EQUAL = 164
    LOGICAL_NOT_EQUAL = 165
    LOGICAL_OR = 166
    LOGICAL_AND = 167
    LOGICAL_NOT = 168
    SELECT = 169
    I_EQUAL = 170
    I_NOT_EQUAL = 171
    U_GREATER_THAN = 172
    U_GREATER_THAN_EQUAL = 174
    U_LESS_THAN = 176
    S_LESS_THAN = 177
    U_LESS_THAN_EQUAL = 178
    S_LESS_THAN_EQUAL = 179
    F_ORD_EQUAL = 180
    F_UNORD_NOT_EQUAL = 183
    F_ORD_LESS_THAN = 184
    F_ORD_LESS_THAN_EQUAL = 188
    F_ORD_GREATER_THAN_EQUAL = 190
    F_ORD_GREATER_THAN = 186
    SHIFT_RIGHT_LOGICAL = 194
    SHIFT_RIGHT_ARITHMETIC = 195
    SHIFT_LEFT_LOGICAL = 196
    BITWISE_OR = 197
    BITWISE_XOR = 198
    BITWISE_AND = 199
    NOT = 200
    CONTROL_BARRIER = 224
    ATOMIC_COMPARE_EXCHANGE = 230
    ATOMIC_AND = 240
    ATOMIC_OR = 241
    PHI = 245
    LOOP_MERGE = 246
    SELECTION_MERGE = 247
    LABEL = 248
    BRANCH = 249
    BRANCH_CONDITIONAL = 250
    SWITCH = 251
    RETURN = 253
    RETURN_VALUE = 254
    CONVERT_U_TO_PTR = 120
    GROUP_NON_UNIFORM_SHUFFLE = 345
    TYPE_COOPERATIVE_MATRIX = 4456
    COOPERATIVE_MATRIX_LOAD = 4457
    COOPERATIVE_MATRIX_STORE = 4458
    COOPERATIVE_MATRIX_MULTIPLY_ADD = 4459


class Capability(IntEnum):
    """What a module says it uses."""

    SHADER = 1
    FLOAT16 = 9
    FLOAT64 = 10
    INT64 = 11
    INT16 = 22
    INT8 = 39
    GROUP_NON_UNIFORM = 61
    GROUP_NON_UNIFORM_SHUFFLE = 65
    STORAGE_BUFFER16_BIT_ACCESS = 4433
    STORAGE_BUFFER8_BIT_ACCESS = 4448
    DENORM_PRESERVE = 4464
    SIGNED_ZERO_INF_NAN_PRESERVE = 4466
    ROUNDING_MODE_RTE = 4467
    BFLOAT16_TYPE = 5116
    BFLOAT16_COOPERATIVE_MATRIX = 5118
    VULKAN_MEMORY_MODEL = 5345
    PHYSICAL_STORAGE_BUFFER_ADDRESSES = 5347
    COOPERATIVE_MATRIX = 6022


class StorageClass(IntEnum):
    """Where a pointer points."""

    INPUT = 1
    WORKGROUP = 4
    FUNCTION = 7
    PUSH_CONSTANT = 9
    PHYSICAL_STORAGE_BUFFER = 5349


class Decoration(IntEnum):
    """Facts attached to an id."""

    SPEC_ID = 1
    BLOCK = 2
    ARRAY_STRIDE = 6
    BUILT_IN = 11
    COHERENT = 23
    NON_WRITABLE = 24
    OFFSET = 35
    NO_CONTRACTION = 42


class ExecutionMode(IntEnum):
    """Properties of an entry point."""

    LOCAL_SIZE = 17
    DENORM_PRESERVE = 4459
    SIGNED_ZERO_INF_NAN_PRESERVE = 4461
    ROUNDING_MODE_RTE = 4462


class BuiltIn(IntEnum):
    """Inputs the device provides."""

    NUM_WORKGROUPS = 24
    WORKGROUP_SIZE = 25
    WORKGROUP_ID = 26
    LOCAL_INVOCATION_ID = 27
    SUBGROUP_ID = 40
    SUBGROUP_LOCAL_INVOCATION_ID = 41


class MemorySemantics(IntEnum):
    """What a barrier orders."""

    ACQUIRE_RELEASE = 0x0008
    UNIFORM_MEMORY = 0x0040
    WORKGROUP_MEMORY = 0x0100
    MAKE_AVAILABLE = 0x2000
    MAKE_VISIBLE = 0x4000


class AddressingModel(IntEnum):
    """How pointers are represented."""

    PHYSICAL_STORAGE_BUFFER64 = 5348


class MemoryModel(IntEnum):
    """Which memory model holds."""

    GLSL450 = 1
    VULKAN = 3


class ExecutionModel(IntEnum):
    """Kinds of entry points."""

    GL_COMPUTE = 5


class Scope(IntEnum):
    """Which invocations take part."""

    DEVICE = 1
    WORKGROUP = 2
    SUBGROUP = 3
    QUEUE_FAMILY = 5


class MatrixUse(IntEnum):
    """Which matrix of a product one is."""

    LEFT = 0
    RIGHT = 1
    ACCUMULATOR = 2


class MatrixLayout(IntEnum):
    """Whether rows or columns of a matrix are neighbours in memory."""

    ROWS = 0
    COLUMNS = 1


class MatrixSign(IntEnum):
    """Which matrices of a product hold signed integers."""

    LEFT = 0x1
    RIGHT = 0x2
    ACCUMULATOR = 0x4
    RESULT = 0x8


class FloatEncoding(IntEnum):
    """Formats of floats besides those of IEEE 754."""

    BFLOAT16 = 0


class Extended(IntEnum):
    """Instructions of the GLSL.std.450 set."""

    ROUND_EVEN = 2
    TRUNC = 3
    F_ABS = 4
    S_ABS = 5
    FLOOR = 8
    CEIL = 9
    SQRT = 31
    FMA = 50
    FIND_U_MSB = 75


MAGIC = 0x07230203
VERSION = 0x00010500  # SPIR-V 1.5, the version of Vulkan 1.2
ALIGNED = 2  # memory operand
NON_PRIVATE = 0x20  # memory operand: what other invocations read or write, in Vulkan's model
UNROLL = 1  # loop control
