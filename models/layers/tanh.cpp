#include "troupe/layers/tanh.hpp"

namespace troupe::models {

Layer tanh() { return std::make_shared<Tanh>(); }

}  // namespace troupe::models
