#include "troupe/layer.hpp"

namespace troupe {

std::string SampleShape::text() const {
  if (flat) return std::to_string(channels);
  if (sequence) return std::to_string(height) + " positions x " + std::to_string(channels);
  return std::to_string(channels) + "x" + std::to_string(height) + "x" + std::to_string(width);
}

}  // namespace troupe
