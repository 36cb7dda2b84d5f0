#include "models/predictor/raw_samples.hpp"

#include <memory>
#include <numeric>
#include <utility>

#include "models/data/csv/row_encoding.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"
#include "troupe/transform.hpp"

namespace troupe {
namespace {

std::size_t size_of(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(DataInfo{.shape = shape}.sample_size());
}

}  // namespace

std::size_t count_samples(std::size_t floats, std::size_t sample_size) {
  if (floats % sample_size != 0)
    throw_invalid(std::to_string(floats) + " floats are not a multiple of the sample size of " +
                  std::to_string(sample_size));
  return floats / sample_size;
}

RawSamples::RawSamples(std::string path, DataInfo data, std::size_t sample_size)
    : path_(std::move(path)), data_(std::move(data)) {
  if (data_.transforms.empty()) return;
  const auto refuse = [&](const std::string& what) {
    throw_bad_file(path_, "the network's transforms cannot be applied: " + what);
  };
  std::size_t prepared = 0;
  try {
    prepared = prepare(std::vector<float>(size_of(data_.source_shape))).size();
  } catch (const Error& error) {
    refuse(error.message());
  }
  if (prepared != sample_size) refuse("they return " + std::to_string(prepared) + " floats per sample");
}

std::vector<float> RawSamples::prepare(const Row& row) const {
  if (data_.encoding.columns.empty())
    throw Error(ErrorCode::invalid_argument,
                "the file does not describe the columns of a table: pass samples as floats", {.object = path_});
  return prepare(encode_row(data_.encoding, row));
}

std::vector<float> RawSamples::prepare(std::span<const float> raw) const {
  if (data_.transforms.empty() || raw.empty()) return {raw.begin(), raw.end()};
  std::vector<std::int64_t> numbers(count_samples(raw.size(), size_of(data_.source_shape)));
  std::iota(numbers.begin(), numbers.end(), 0);
  auto source = std::make_shared<const Dataset>(Dataset::unlabelled(data_.source_shape, {raw.begin(), raw.end()}));
  const auto prepared = data::transform({.train = std::move(source)}, data_.transforms).train;
  std::vector<float> values(numbers.size() * static_cast<std::size_t>(prepared->info().sample_size()));
  prepared->fill({.samples = numbers, .values = values, .labels = {}, .targets = {}});
  return values;
}

}  // namespace troupe
