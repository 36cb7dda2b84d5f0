#include "troupe/layers/gelu.hpp"
#include "troupe/layers/relu.hpp"
#include "troupe/layers/sigmoid.hpp"
#include "troupe/layers/tanh.hpp"

namespace troupe::models {

std::map<std::string, double> Gelu::numbers() const {
  if (form_ == GeluForm::erf) return {};
  return {{"tanh", 1}};
}

Layer gelu(GeluForm form) { return std::make_shared<Gelu>(form); }
Layer relu() { return std::make_shared<Relu>(); }
Layer sigmoid() { return std::make_shared<Sigmoid>(); }
Layer tanh() { return std::make_shared<Tanh>(); }

}  // namespace troupe::models
