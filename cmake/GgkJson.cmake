# json-c, by which gguf reads JSON: the target ggk_json, which is empty without.
if(NOT GGK_BUILD_CLI)
    return()
endif()

add_library(ggk_json INTERFACE)
if(NOT GGK_JSON)
    return()
endif()
pkg_check_modules(JSONC QUIET IMPORTED_TARGET json-c>=0.15)
if(NOT JSONC_FOUND AND CMAKE_CROSSCOMPILING)
    message(STATUS "no json-c for ${CMAKE_SYSTEM_PROCESSOR}: gguf reads no JSON")
    set(GGK_JSON OFF)
    return()
elseif(NOT JSONC_FOUND)
    message(FATAL_ERROR
            "json-c is missing. Install it (Debian: libjson-c-dev), or build a "
            "gguf that reads no JSON with -DGGK_JSON=OFF.")
endif()
target_compile_definitions(ggk_json INTERFACE GGK_HAS_JSON=1)

# The archive is preferred, as of popt: a shared object less at every start.
if(GGK_STATIC_JSON)
    find_library(GGK_JSON_ARCHIVE libjson-c.a HINTS ${JSONC_LIBRARY_DIRS})
    if(GGK_JSON_ARCHIVE)
        set(CMAKE_REQUIRED_INCLUDES ${JSONC_INCLUDE_DIRS})
        set(CMAKE_REQUIRED_LIBRARIES ${GGK_JSON_ARCHIVE} m)
        check_source_compiles(
            C "#include <json.h>
               int main(void) { return json_tokener_new_ex(9) == NULL; }"
            GGK_JSON_ARCHIVE_LINKS)
        unset(CMAKE_REQUIRED_INCLUDES)
        unset(CMAKE_REQUIRED_LIBRARIES)
    endif()
endif()
if(GGK_JSON_ARCHIVE AND GGK_JSON_ARCHIVE_LINKS)
    target_include_directories(ggk_json SYSTEM INTERFACE ${JSONC_INCLUDE_DIRS})
    target_link_libraries(ggk_json INTERFACE ${GGK_JSON_ARCHIVE} m)
else()
    target_link_libraries(ggk_json INTERFACE PkgConfig::JSONC)
endif()
