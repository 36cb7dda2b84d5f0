# cmake --install: headers, static libraries, the program, and the files for find_package and pkg-config.
include(CMakePackageConfigHelpers)

set(troupe_libraries troupe_actors troupe_collectives troupe_models troupe_runtime)  # in link order
set(troupe_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/troupe)

install(TARGETS troupe ${troupe_libraries} EXPORT troupe-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/troupe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.hpp)
install(EXPORT troupe-targets NAMESPACE troupe:: DESTINATION ${troupe_package_dir})
if(TROUPE_WITH_CUDA)  # find_package(troupe COMPONENTS cuda); CUDA is required only with this component
  install(TARGETS troupe_cuda EXPORT troupe-cuda-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT troupe-cuda-targets NAMESPACE troupe:: DESTINATION ${troupe_package_dir})
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindCUDNN.cmake DESTINATION ${troupe_package_dir})
endif()
if(TROUPE_WITH_TORCH)  # find_package(troupe COMPONENTS torch); libtorch is required only with this component
  install(TARGETS troupe_torch EXPORT troupe-torch-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT troupe-torch-targets NAMESPACE troupe:: DESTINATION ${troupe_package_dir})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/torch/include/troupe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindLibtorch.cmake DESTINATION ${troupe_package_dir})
endif()
if(TARGET troupe_cli)
  install(TARGETS troupe_cli RUNTIME_DEPENDENCY_SET troupe_shared RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# `cmake --install FOLDER --component shared` adds the shared libraries that the program needs. Excluded are glibc's,
# which belong to the system's loader, and NVIDIA's, which come with the driver and the toolkit.
if(TARGET troupe_cli AND NOT CMAKE_CROSSCOMPILING)
  install(RUNTIME_DEPENDENCY_SET troupe_shared
    PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util)\\.so" "^lib(cuda|cublas|cudnn|nv)"
    LIBRARY DESTINATION ${TROUPE_SHARED_DIR} COMPONENT shared EXCLUDE_FROM_ALL)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/troupe-config.cmake.in
  ${PROJECT_BINARY_DIR}/troupe-config.cmake INSTALL_DESTINATION ${troupe_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/troupe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/troupe-config.cmake ${PROJECT_BINARY_DIR}/troupe-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindCAF.cmake ${CMAKE_CURRENT_LIST_DIR}/Finddnnl.cmake
  DESTINATION ${troupe_package_dir})

# The pkg-config equivalent of each link dependency: a package, flags, or nothing (headers only). Our libraries are
# static, so all dependencies are needed to link and must be listed where `pkg-config --libs` looks.
set(pkg_package_OpenSSL::Crypto libcrypto)
set(pkg_package_OpenSSL::SSL libssl)
set(pkg_package_ZLIB::ZLIB zlib)
set(pkg_package_JPEG::JPEG libjpeg)
set(pkg_package_PNG::PNG libpng)
set(pkg_flags_LibArchive::LibArchive -larchive)  # with --static, its package lists libraries that Debian's lacks
set(pkg_flags_CURL::libcurl -lcurl)  # likewise
set(pkg_package_pugixml::pugixml pugixml)
set(pkg_flags_CAF::io -lcaf_io -lcaf_core)
set(pkg_flags_DNNL::dnnl -ldnnl)
set(pkg_flags_gomp -lgomp)
set(pkg_flags_Threads::Threads -pthread)
list(JOIN MPI_CXX_LIBRARIES " " pkg_flags_MPI::MPI_CXX)  # full paths, because each MPI has its own location
set(pkg_package_Eigen3::Eigen eigen3)  # for troupe/eigen.hpp
set(pkg_nothing Boost::headers nlohmann_json::nlohmann_json)

set(TROUPE_PC_LIBS "")
set(TROUPE_PC_LIBS_OF_OTHERS "")
set(TROUPE_PC_REQUIRES "")
foreach(library IN LISTS troupe_libraries)
  list(APPEND TROUPE_PC_LIBS -l${library})
  get_target_property(dependencies ${library} LINK_LIBRARIES)
  foreach(dependency IN LISTS dependencies)
    if(DEFINED pkg_package_${dependency})
      list(APPEND TROUPE_PC_REQUIRES ${pkg_package_${dependency}})
    elseif(DEFINED pkg_flags_${dependency})
      list(APPEND TROUPE_PC_LIBS_OF_OTHERS ${pkg_flags_${dependency}})
    elseif(NOT dependency MATCHES "^troupe::" AND NOT dependency IN_LIST pkg_nothing)
      message(FATAL_ERROR "${library} links ${dependency}: add its pkg-config equivalent in ${CMAKE_CURRENT_LIST_FILE} "
        "and find it in troupe-config.cmake.in")
    endif()
  endforeach()
endforeach()
foreach(list TROUPE_PC_LIBS TROUPE_PC_LIBS_OF_OTHERS TROUPE_PC_REQUIRES)
  list(REMOVE_DUPLICATES ${list})
  list(JOIN ${list} " " ${list})
endforeach()
# The prefix is relative to the file, so that an installation can be moved.
file(RELATIVE_PATH TROUPE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/troupe.pc.in ${PROJECT_BINARY_DIR}/troupe.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/troupe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
