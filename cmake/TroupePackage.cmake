# cmake --build build/release --target package: a Debian package and an archive with the files of cmake --install,
# including the program. The names of both contain the release of the build machine. The Debian package depends on the
# libraries of that release. The archive also contains them: unpacked anywhere, its program runs on any distribution
# with the same or a newer glibc. A build for another processor makes an archive without them.
cmake_host_system_information(RESULT distribution QUERY DISTRIB_INFO)
set(release "${distribution_ID}${distribution_VERSION_ID}")  # such as debian13
string(REGEX REPLACE "[^A-Za-z0-9.]" "" release "${release}")
if(release STREQUAL "")
  set(release linux)
endif()

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME troupe)
set(CPACK_PACKAGE_CONTACT "Troupe's authors <troupe@localhost>")
set(CPACK_PACKAGE_FILE_NAME troupe-${PROJECT_VERSION}-${release}-${CMAKE_SYSTEM_PROCESSOR})
if(TROUPE_WITH_CUDA)
  string(APPEND CPACK_PACKAGE_FILE_NAME -cuda)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/TroupePackageOptions.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(recommends "cmake | pkg-config, g++")
if(TROUPE_WITH_CUDA)
  # A package of its own, which replaces `troupe`. It recommends the packages of NVIDIA, but does not depend on them,
  # because NVIDIA's installer and PyPI have the same libraries.
  set(CPACK_DEBIAN_PACKAGE_NAME troupe-cuda)
  set(CPACK_DEBIAN_PACKAGE_PROVIDES troupe)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS troupe)
  set(CPACK_DEBIAN_PACKAGE_REPLACES troupe)
  set(toolkit ${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR})  # such as 13-0
  string(APPEND recommends ", cuda-cudart-dev-${toolkit}, libcublas-dev-${toolkit}, \
libcudnn9-dev-cuda-${CUDAToolkit_VERSION_MAJOR}")
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${release})
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # CPack would use this machine's architecture
endif()
# The libraries are static, so a program that links them needs the packages that they were built with.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcaf-dev, libdnnl-dev, libssl-dev, libboost-dev, libeigen3-dev, \
nlohmann-json3-dev, zlib1g-dev, libjpeg-dev, libpng-dev, libarchive-dev, libcurl4-openssl-dev, libpugixml-dev, libgomp1, libstdc++6")
if(TROUPE_WITH_MPI)
  if(MPI_CXX_LIBRARIES MATCHES mpich)
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libmpich-dev")
  else()
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libopenmpi-dev")
  endif()
endif()
if(TROUPE_WITH_TORCH AND NOT TROUPE_TORCH_ROOT)
  string(APPEND recommends ", libtorch-dev")  # for troupe::torch; the program does not need it
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${recommends}")
include(CPack)
