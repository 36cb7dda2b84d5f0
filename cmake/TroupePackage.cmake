# cmake --build build/release --target package: a Debian package of what cmake --install installs, with the program.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME troupe)
set(CPACK_PACKAGE_CONTACT "Troupe's authors <troupe@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_STRIP_FILES ON)
# Its libraries are static: who links them needs what they were built with.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcaf-dev, libdnnl-dev, libssl-dev, libboost-dev, libeigen3-dev, \
nlohmann-json3-dev, zlib1g-dev, libjpeg62-turbo-dev, libpng-dev, libarchive-dev, libgomp1, libstdc++6")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "cmake | pkg-config, g++")
include(CPack)
