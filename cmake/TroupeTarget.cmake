# troupe::troupe, the only target that users link, in this build and after installation.
add_library(troupe INTERFACE)
add_library(troupe::troupe ALIAS troupe)
target_compile_features(troupe INTERFACE cxx_std_20)
target_link_libraries(troupe INTERFACE troupe::actors Eigen3::Eigen)  # for troupe/eigen.hpp
