#pragma once

// Data made from other data: subsets, joins, mappings and splits. The samples are not copied; they are read from the
// original data on demand.
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

/// A pointer to read-only data, which several objects may share.
using DataPtr = std::shared_ptr<const DataSource>;

/// A view of one sample. `label` is set if the data has classes (DataInfo::num_classes is not 0), and `targets` if it
/// has targets (DataInfo::num_targets is not 0).
struct SampleView {
  std::int64_t number = 0;
  std::span<const float> values;
  std::int32_t label = -1;
  std::span<const float> targets = {};
  std::span<const std::int32_t> labels = {};  ///< all labels of the sample (DataInfo::labels_per_sample)
};

/// Returns data that consists of the samples of `data` with these numbers, in this order. A number may occur several
/// times.
/// @throws Error invalid_argument if a number is out of range.
DataPtr select(DataPtr data, std::vector<std::int64_t> samples);
/// Returns data that consists of the first `count` samples of `data`, or of all samples if there are fewer.
/// @throws Error invalid_argument if `count` is below 1.
DataPtr take(DataPtr data, std::int64_t count);
/// Returns data that consists of those samples of `data` for which `keep` returns true. During this call, `keep` is
/// called once for each sample.
/// @throws Error bad_data if `keep` returns false for all samples.
DataPtr filter(const DataPtr& data, const std::function<bool(const SampleView&)>& keep);
/// Returns data with the samples of `data` in another order, which is drawn once from the seed. Training does not need
/// shuffled data, because each epoch draws its own order.
DataPtr shuffle(DataPtr data, std::uint64_t seed = 1);
/// Returns data that contains all samples of `data`, in order, `times` times.
/// @throws Error invalid_argument if `times` is below 1.
DataPtr repeat(const DataPtr& data, int times);
/// Returns data that contains the samples of all `parts`, one part after the other.
/// @throws Error invalid_argument if there are no parts.
/// @throws Error bad_data if the parts differ in the shape of samples, classes, targets or names.
DataPtr concat(std::vector<DataPtr> parts);
/// Returns data with the samples of `data`, whose values are replaced by the results of `change`. Labels and targets
/// stay the same.
/// @param data the original samples.
/// @param shape the shape of a new sample.
/// @param change writes the new values of the sample `from` to `to`. `change` must be thread-safe, and its result may
/// depend only on its arguments.
DataPtr map(DataPtr data, std::vector<std::int64_t> shape,
            std::function<void(const SampleView& from, std::span<float> to)> change);
/// Returns data whose samples are windows of the series `data`. New sample i consists of the samples i to i + length -
/// 1 of `data`. Its shape is that of a sample of `data` with `length` as an additional first dimension. Its label or
/// targets are those of the last sample of the window. The result has length - 1 samples less than `data`.
/// @throws Error invalid_argument if `length` is below 1.
/// @throws Error bad_data if `data` has fewer than `length` samples.
DataPtr window(DataPtr data, std::int64_t length);

/// Returns data whose samples can only be read sequentially, for example from a decoder or a service. The samples are
/// divided into parts, such as files. Parts that were used recently are kept in memory. In each epoch, the parts are
/// read one after the other, and the samples of a few consecutive parts are shuffled together (see BatchSampler).
/// @param info the description of the data. `info.num_samples` is ignored: the call of `stream` reads each part once
/// and counts the samples.
/// @param parts number of parts; at least 1.
/// @param read reads part `part`, and calls `take` once for each sample of this part. The samples must be the same, in
/// the same order, every time. `read` sets the label or the targets of each sample, but not the number. Several threads
/// may call `read` at the same time, for different parts. Exceptions of `read` propagate to the caller.
/// @throws Error invalid_argument if there are no parts or no function.
/// @throws Error bad_data if a sample does not match `info`, or a part is empty.
DataPtr stream(DataInfo info, int parts,
               std::function<void(int part, const std::function<void(const SampleView&)>& take)> read);

/// Divides the samples of `data` at random into two data sets, and returns both. The second one has the fraction
/// `share` of the samples, rounded; each has at least one sample. If the data has classes, the samples of each class
/// are divided in about the same ratio. Both data sets keep the order of `data`.
/// @param data the samples to divide.
/// @param share fraction of the samples in the second data set, in (0, 1).
/// @param seed for the random choice.
/// @throws Error invalid_argument if `share` is not in (0, 1), or there is only one sample.
std::pair<DataPtr, DataPtr> split(const DataPtr& data, double share, std::uint64_t seed = 1);
/// Divides the samples of `data` into `folds` folds for a cross-validation, and returns one TrainingData for each fold.
/// In each, this fold is the test set, and the other folds together are the training set. If the data has classes, each
/// fold has about the same number of samples of each class. With the default seed, the folds are identical to those of
/// load_data with "fold:1/k:NAME" and so on.
/// @throws Error invalid_argument if `folds` is below 2 or above the number of samples.
std::vector<TrainingData> to_cv(const DataPtr& data, int folds, std::uint64_t seed = 1);

}  // namespace troupe::data
