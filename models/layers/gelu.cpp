#include "troupe/layers/gelu.hpp"

namespace troupe::models {

Layer gelu() { return std::make_shared<Gelu>(); }

}  // namespace troupe::models
