#include "troupe/layers/relu.hpp"

namespace troupe::models {

Layer relu() { return std::make_shared<Relu>(); }

}  // namespace troupe::models
