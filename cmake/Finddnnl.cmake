# Debian's dnnl-config.cmake requires OpenCL development files, which this project does not need.
find_path(dnnl_INCLUDE_DIR dnnl.hpp)
find_library(dnnl_LIBRARY dnnl)
if(dnnl_INCLUDE_DIR)
  file(STRINGS ${dnnl_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h dnnl_version_lines
    REGEX "#define DNNL_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX MATCHALL "[0-9]+" dnnl_VERSION "${dnnl_version_lines}")
  list(JOIN dnnl_VERSION "." dnnl_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(dnnl REQUIRED_VARS dnnl_LIBRARY dnnl_INCLUDE_DIR VERSION_VAR dnnl_VERSION)
mark_as_advanced(dnnl_INCLUDE_DIR dnnl_LIBRARY)

if(dnnl_FOUND AND NOT TARGET DNNL::dnnl)
  add_library(DNNL::dnnl UNKNOWN IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES
    IMPORTED_LOCATION ${dnnl_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${dnnl_INCLUDE_DIR})
endif()
