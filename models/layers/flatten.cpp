#include "troupe/layers/flatten.hpp"

namespace troupe::models {

Layer flatten() { return std::make_shared<Flatten>(); }

}  // namespace troupe::models
