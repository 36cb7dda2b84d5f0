#pragma once

// Data made from other data: subsets, joins, mappings and splits. Nothing is copied; samples are read from the original
// data on demand.
//
//    auto [train, validation] = troupe::data::split(troupe::load_data("fashion-mnist").train, 0.1);

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "troupe/data.hpp"

namespace troupe::data {

/// Shared, read-only data.
using DataPtr = std::shared_ptr<const DataSource>;

/// One sample. `label` is set if the data has classes (DataInfo::num_classes), `targets` if it has targets
/// (DataInfo::num_targets).
struct SampleView {
  std::int64_t number = 0;
  std::span<const float> values;
  std::int32_t label = -1;
  std::span<const float> targets = {};
};

/// Returns the samples with these numbers, in this order. A number may occur several times.
/// @throws Error invalid_argument if a number is out of range.
DataPtr select(DataPtr data, std::vector<std::int64_t> samples);
/// Returns the first `count` samples, or all if there are fewer.
/// @throws Error invalid_argument if `count` is below 1.
DataPtr take(DataPtr data, std::int64_t count);
/// Returns the samples for which `keep` returns true. `keep` is called once for each sample, during this call.
/// @throws Error bad_data if no sample is left.
DataPtr filter(const DataPtr& data, const std::function<bool(const SampleView&)>& keep);
/// Returns the samples in one fixed order, drawn from the seed. Training does not need shuffled data, because each
/// epoch uses an order of its own.
DataPtr shuffle(DataPtr data, std::uint64_t seed = 1);
/// Returns all samples, `times` times.
/// @throws Error invalid_argument if `times` is below 1.
DataPtr repeat(const DataPtr& data, int times);
/// Returns the samples of all parts, one part after the other.
/// @throws Error invalid_argument if there are no parts.
/// @throws Error bad_data if the parts differ in the shape of samples, classes, targets or names.
DataPtr concat(std::vector<DataPtr> parts);
/// Returns samples whose values are replaced by the results of `change`; labels and targets stay the same.
/// @param shape the shape of a new sample.
/// @param change writes the new values to `to`. `change` must be thread-safe, and its result may depend only on its
/// arguments.
DataPtr map(DataPtr data, std::vector<std::int64_t> shape,
            std::function<void(const SampleView& from, std::span<float> to)> change);
/// Returns windows of a series. Each new sample consists of `length` consecutive samples. The shape of a new sample has
/// `length` as an additional first dimension. The label or targets of a new sample are those of its last consecutive
/// sample. There are length - 1 fewer samples.
/// @throws Error invalid_argument if `length` is below 1.
/// @throws Error bad_data if no window is left.
DataPtr window(DataPtr data, std::int64_t length);

/// Returns samples that can only be read sequentially, for example from a decoder or a service. The samples are divided
/// into parts, such as files. Parts that were used recently are kept in memory. An epoch reads the parts one after the
/// other and shuffles the samples of a few consecutive parts (see BatchSampler).
/// @param info the description of the data. `num_samples` is ignored: this call reads each part once and counts the
/// samples.
/// @param parts number of parts; at least 1.
/// @param read calls `take` once for each sample of part `part`, in the same order and with the same content every
/// time. `read` sets the label or the targets of each sample, but not the number. Several threads may call `read` at
/// the same time, for different parts. Exceptions of `read` propagate to the caller.
/// @throws Error invalid_argument if there are no parts or no function.
/// @throws Error bad_data if a sample does not match `info`, or a part is empty.
DataPtr stream(DataInfo info, int parts,
               std::function<void(int part, const std::function<void(const SampleView&)>& take)> read);

/// Splits data at random into two parts. The second part has the fraction `share` of the samples, rounded; each part
/// has at least one sample. If the data has classes, each class is split in about the same ratio. Both parts keep the
/// order of the data.
/// @param data the samples.
/// @param share in (0, 1).
/// @param seed for the random choice.
/// @throws Error invalid_argument if `share` is not in (0, 1), or there is only one sample.
std::pair<DataPtr, DataPtr> split(const DataPtr& data, double share, std::uint64_t seed = 1);
/// Returns the pairs of a k-fold cross-validation: in each, one fold is the test set and the other folds are the
/// training set. If the data has classes, each fold has about the same share of each class. With the default seed the
/// folds are identical to the data "fold:1/k:NAME" and so on.
/// @throws Error invalid_argument if `folds` is below 2 or above the number of samples.
std::vector<TrainingData> to_cv(const DataPtr& data, int folds, std::uint64_t seed = 1);

}  // namespace troupe::data
