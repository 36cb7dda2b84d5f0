#include "troupe/layers/sigmoid.hpp"

namespace troupe::models {

Layer sigmoid() { return std::make_shared<Sigmoid>(); }

}  // namespace troupe::models
