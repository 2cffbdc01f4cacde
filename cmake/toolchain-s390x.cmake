# 64-bit IBM Z, big endian.
set(GGK_CPU s390x)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain-cross.cmake)
