#include "models/data/arrays/array_in_file.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "models/data/answers.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/naming.hpp"

namespace troupe {
namespace {

DataInfo with(DataInfo info, const NpyFile& samples, const std::string& origin) {
  info.byte_scale = samples.array().is_byte() && info.num_classes > 0 ? static_cast<double>(kByteScale) : 0;
  info.origin = origin;
  info.slow = true;
  return info;
}

class ArrayInFile final : public DataSource {
 public:
  ArrayInFile(std::shared_ptr<const NpyFile> samples, std::optional<PixelOrder> order, DataInfo info, Answers answers)
      : DataSource(std::move(info)), samples_(std::move(samples)), order_(order), answers_(std::move(answers)) {
    check_targets(answers_.targets, this->info().num_targets, std::identity());
  }

  std::span<const std::int32_t> known_labels() const override { return answers_.labels; }

 private:
  void read(const BatchRequest& request) const override {
    const auto size = static_cast<std::size_t>(info().sample_size());
    const auto targets = static_cast<std::size_t>(info().num_targets);
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const auto sample = static_cast<std::size_t>(request.samples[i]);
      read_values(request.samples[i], request.values.subspan(i * size, size));
      if (targets == 0) request.labels[i] = answers_.labels[sample];
      std::copy_n(answers_.targets.begin() + static_cast<std::ptrdiff_t>(sample * targets), targets,
                  request.targets.begin() + static_cast<std::ptrdiff_t>(i * targets));
    }
  }

  void read_values(std::int64_t sample, std::span<float> to) const {
    NumberArray row = samples_->rows(sample, 1);
    bring_to_nchw(row, order_);
    const std::vector<float> values = row.floats();
    const float scale = row.is_byte() ? kByteScale : 1;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw Error(ErrorCode::bad_data,
                    "value " + std::to_string(values[i]) + " of sample " + std::to_string(sample) + " is not finite",
                    {.object = samples_->path()});
      to[i] = scale * values[i];
    }
  }

  std::shared_ptr<const NpyFile> samples_;
  std::optional<PixelOrder> order_;
  Answers answers_;
};

}  // namespace

std::shared_ptr<const DataSource> array_in_file(std::shared_ptr<const NpyFile> samples, std::optional<PixelOrder> order,
                                                DataInfo info, Answers answers, const std::string& origin) {
  info = with(std::move(info), *samples, origin);
  return std::make_shared<const ArrayInFile>(std::move(samples), order, std::move(info), std::move(answers));
}

}  // namespace troupe
