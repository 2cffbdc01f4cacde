# 64-bit ARM.
set(GGK_CPU aarch64)
# Pointers are signed by something cheaper than what real processors do.
set(GGK_QEMU_OPTIONS -cpu max,pauth-impdef=on)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain-cross.cmake)
