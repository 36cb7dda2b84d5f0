#include "troupe/layers/gelu.hpp"
#include "troupe/layers/relu.hpp"
#include "troupe/layers/sigmoid.hpp"
#include "troupe/layers/tanh.hpp"

namespace troupe::models {

Layer gelu() { return std::make_shared<Gelu>(); }
Layer relu() { return std::make_shared<Relu>(); }
Layer sigmoid() { return std::make_shared<Sigmoid>(); }
Layer tanh() { return std::make_shared<Tanh>(); }

}  // namespace troupe::models
