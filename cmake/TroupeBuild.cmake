# Compiler settings, and the function that declares a folder's library.
include(GNUInstallDirs)

# For archives: the folder of shared libraries, and the path from the program to this folder.
set(TROUPE_SHARED_DIR lib/troupe)
file(RELATIVE_PATH TROUPE_SHARED_RPATH /${CMAKE_INSTALL_BINDIR} /${TROUPE_SHARED_DIR})
string(PREPEND TROUPE_SHARED_RPATH "$ORIGIN/")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The result is cached. If ccache is installed later, this build folder does not recompile everything.
  if(NOT DEFINED CACHE{CCACHE} OR (CCACHE AND NOT EXISTS "${CCACHE}"))
    unset(CCACHE CACHE)
    find_program(CCACHE ccache)
  endif()
  if(CCACHE AND DEFINED ENV{CCACHE_SLOPPINESS})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  elseif(CCACHE)  # compares the content of precompiled headers instead of their time
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()

# Limits concurrent compilers by the memory of the machine or its container. A bundle of sources takes up to 2 GiB.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_JOB_POOL_COMPILE)
  cmake_host_system_information(RESULT mebibytes QUERY TOTAL_PHYSICAL_MEMORY)
  if(EXISTS /sys/fs/cgroup/memory.max)
    file(READ /sys/fs/cgroup/memory.max limit)
    string(STRIP "${limit}" limit)
    if(limit MATCHES "^[0-9]+$")
      math(EXPR limit "${limit} >> 20")
      if(limit LESS mebibytes)
        set(mebibytes ${limit})
      endif()
    endif()
  endif()
  math(EXPR compilers "${mebibytes} / 2048")
  if(compilers LESS 1)
    set(compilers 1)
  endif()
  set_property(GLOBAL APPEND PROPERTY JOB_POOLS compilers=${compilers})
  set(CMAKE_JOB_POOL_COMPILE compilers)
endif()

# Results are bitwise identical everywhere, so the compiler must not contract a multiplication and an addition into one
# operation. No code here reads errno after a square root, or the flags of floating-point exceptions. Supporting both
# prevents g++ from vectorising square roots, and g++ 13 and later from vectorising comparisons. Neither option changes
# a result.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wsuggest-override;-ffp-contract=off;-fno-math-errno;-fno-trapping-math>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
# With this option ccache compares the sources of a precompiled header.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
# g++ takes the sources that a unity build includes for headers.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-braces>)  # {1, 2} for an array is clear
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # false alarms about std::string, g++ bug 105651
endif()
if(TROUPE_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TROUPE_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  add_link_options(-fsanitize=${TROUPE_SANITIZE})
  add_compile_definitions(TROUPE_SANITIZED)
  if(TROUPE_SANITIZE MATCHES "thread")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)  # Asio has fences; a mutex guards its queue
  endif()
endif()

# troupe_library(name [FOLDER...]): a static library of the sources in the folder, without the listed subfolders.
# Headers are included as "folder/file.hpp".
function(troupe_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp *.cu)
  foreach(other IN LISTS ARGN)  # folders that are separate libraries
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${other}/")
  endforeach()
  add_library(troupe_${name} STATIC ${sources})
  add_library(troupe::${name} ALIAS troupe_${name})
  set_target_properties(troupe_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(troupe_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()
