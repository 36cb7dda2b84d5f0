# Intel's Multi-Buffer Crypto for IPsec, which comes without a CMake package: IPSec_MB::IPSec_MB.
find_path(IPSec_MB_INCLUDE_DIR intel-ipsec-mb.h)
find_library(IPSec_MB_LIBRARY IPSec_MB)
mark_as_advanced(IPSec_MB_INCLUDE_DIR IPSec_MB_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(IPSec_MB REQUIRED_VARS IPSec_MB_LIBRARY IPSec_MB_INCLUDE_DIR)
if(IPSec_MB_FOUND AND NOT TARGET IPSec_MB::IPSec_MB)
  add_library(IPSec_MB::IPSec_MB UNKNOWN IMPORTED)
  set_target_properties(IPSec_MB::IPSec_MB PROPERTIES
    IMPORTED_LOCATION "${IPSec_MB_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${IPSec_MB_INCLUDE_DIR}")
endif()
