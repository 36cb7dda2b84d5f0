#include "cli/predict/samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/data/data_registry.hpp"
#include "models/files/images/image.hpp"
#include "models/files/npy.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/transform.hpp"

namespace troupe::cli {
namespace {

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text.empty() ? "one number" : text;
}

/// The samples of a .npy file, one after the other.
std::vector<float> read_samples(const std::string& path, const std::vector<std::int64_t>& shape, float byte_scale) {
  const NumberArray array = read_npy(path);
  const bool several = array.shape.size() == shape.size() + 1;
  const bool fits = several || array.shape.size() == shape.size();
  if (!fits || !std::equal(shape.begin(), shape.end(), array.shape.begin() + (several ? 1 : 0)))
    throw_bad_file(path, "its array is of " + text_of(array.shape) + ", and the network takes a sample of " +
                             text_of(shape) + ", or several, one after the other");
  std::vector<float> values = array.floats();
  if (array.is_byte())  // as in training: others are what they are
    for (float& value : values) value *= byte_scale;
  const auto wrong = std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); });
  if (wrong != values.end())
    throw_bad_file(path, "its value " + std::to_string(wrong - values.begin()) + " is not finite");
  return values;
}

}  // namespace

Samples::Samples(const std::string& data, const DataInfo& trained, std::uint64_t seed)
    : source_(load_test_set(data, seed, trained)) {}

Samples::Samples(const std::string& file, const std::vector<std::int64_t>& shape, float byte_scale) {
  std::vector<float> values = file.ends_with(".npy") ? read_samples(file, shape, byte_scale)
                                                     : sample_of(read_image(file, use_of(shape)), shape, byte_scale);
  source_ = std::make_shared<const Dataset>(Dataset::unlabelled(shape, std::move(values), file));
}

void Samples::transform(const std::string& transforms) {
  source_ = data::transform({.train = source_}, transforms).train;
}

Samples::Part Samples::part(std::int64_t first, std::int64_t count) {
  numbers_.resize(static_cast<std::size_t>(count));
  std::iota(numbers_.begin(), numbers_.end(), first);
  values_.resize(static_cast<std::size_t>(count * info().sample_size()));
  labels_.resize(static_cast<std::size_t>(info().num_classes > 0 ? count : 0));
  targets_.resize(static_cast<std::size_t>(count * info().num_targets));
  holes_.resize(static_cast<std::size_t>(info().lacks ? count : 0));
  source_->fill({.samples = numbers_, .values = values_, .labels = labels_, .targets = targets_, .holes = holes_});
  return {.values = values_, .labels = labels_, .targets = targets_, .holes = holes_};
}

}  // namespace troupe::cli
