#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "troupe/data.hpp"

// Data made of other data. Nothing is copied: samples are read from where they come from when they are asked for.
namespace troupe::data {

using DataPtr = std::shared_ptr<const DataSource>;

/// One sample. Of label and targets one is there, as DataInfo says.
struct SampleView {
  std::int64_t number = 0;
  std::span<const float> values;
  std::int32_t label = -1;
  std::span<const float> targets = {};
};

/// These samples of it, in this order; one may come twice, unless it is said otherwise.
/// @throws Error invalid_argument for a number that is no sample
DataPtr select(DataPtr data, std::vector<std::int64_t> samples);
/// The first `count` of them, or all.
DataPtr take(DataPtr data, std::int64_t count);
/// Those that `keep` is true for, which is asked once for each, here. @throws Error bad_data where none is left
DataPtr filter(const DataPtr& data, const std::function<bool(const SampleView&)>& keep);
/// In an order drawn from the seed, once: epochs draw their own anyway.
DataPtr shuffle(DataPtr data, std::uint64_t seed = 1);
/// All of them so many times.
DataPtr repeat(const DataPtr& data, int times);
/// One after the other. @throws Error bad_data where samples, classes or targets are not alike
DataPtr concat(std::vector<DataPtr> parts);
/// Other values of each sample. @param shape of what is written. @param change writes them; may be called by several
/// threads at once, and depends on what it is given alone
DataPtr map(DataPtr data, std::vector<std::int64_t> shape,
            std::function<void(const SampleView& from, std::span<float> to)> change);
/// Samples of a series: each is `length` samples that follow each other, a length more in front of the shape, with the
/// label or targets of the last one. There are length - 1 fewer. @throws Error bad_data where that is none
DataPtr window(DataPtr data, std::int64_t length);

/// Samples that can only be had one after the other, as a decoder or a service gives them: in parts, such as files, of
/// which those used last are held in memory. An epoch takes the parts one after the other, and mixes samples of some
/// that follow each other (BatchSampler).
/// @param info without num_samples, which are counted: each part is read once, here
/// @param read calls `take` for each sample of a part, in order and with the same content each time, labels or targets
/// and no number. By several threads at once, for different parts
/// @throws Error invalid_argument for no parts, bad_data for samples that are not as `info` says, and what `read`
/// throws
DataPtr stream(DataInfo info, int parts,
               std::function<void(int part, const std::function<void(const SampleView&)>& take)> read);

/// Two parts, the second with `share` of the samples, rounded, in (0, 1), and at least one in each, drawn from the
/// seed. Of data with classes it has that share of each.
std::pair<DataPtr, DataPtr> split(const DataPtr& data, double share, std::uint64_t seed = 1);
/// The k pairs of k-fold cross-validation: parts as alike as `split` makes them, each of which is the test set once.
/// With the usual seed they are those of the data named "fold:1/k:NAME" and so on.
/// @throws Error invalid_argument for fewer than 2, or more than there are samples
std::vector<TrainingData> to_cv(const DataPtr& data, int folds, std::uint64_t seed = 1);

}  // namespace troupe::data
