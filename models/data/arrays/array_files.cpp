#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/data/arguments.hpp"
#include "models/data/arrays/array_pair.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/data_memory.hpp"
#include "models/data/file_patterns.hpp"
#include "models/files/idx.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "troupe/pipeline.hpp"

// Data of files that each hold an array: npy and idx.
namespace troupe {
namespace {

using Files = std::vector<std::string>;

/// What stands behind "npy:" or "idx:": for each array its files.
struct ArrayArguments {
  std::vector<Files> arrays;  ///< samples and labels, and perhaps those of the test set
  std::optional<PixelOrder> order;
};

ArrayArguments parse_arrays(const std::string& name, const std::string& text, const char* usage) {
  ArrayArguments asked;
  const auto layout = [&](const std::string& value) { asked.order = pixel_order_of(name, value); };
  for (const std::string& pattern : parse_data_arguments(name, text, usage, {{"layout", layout}}))
    asked.arrays.push_back(files_of(pattern));
  if (asked.arrays.size() != 2 && asked.arrays.size() != 4)
    throw_invalid(name + ":" + text + " is not " + name + usage);
  for (std::size_t i = 1; i < asked.arrays.size(); i += 2)
    if (asked.arrays[i].size() != asked.arrays[i - 1].size())
      throw_invalid(name + ": " + std::to_string(asked.arrays[i - 1].size()) + " files of samples, and " +
                    std::to_string(asked.arrays[i].size()) + " of labels");
  return asked;
}

using ReadArray = std::function<NamedArray(const std::string& file, bool stays_in_file)>;

/// Pairs of files, each a part of a set.
std::vector<ArrayPair> pairs_of(const Files& samples, const Files& labels, std::optional<PixelOrder> order,
                                bool stays_in_file, const ReadArray& read) {
  std::vector<ArrayPair> pairs;
  for (std::size_t i = 0; i < samples.size(); ++i)
    pairs.emplace_back(read(samples[i], stays_in_file), read(labels[i], false), order);
  return pairs;
}

std::shared_ptr<const DataSource> join(std::vector<ArrayPair> pairs, int num_classes) {
  std::vector<std::shared_ptr<const DataSource>> parts;
  for (ArrayPair& pair : pairs) parts.push_back(std::move(pair).make(num_classes));
  return parts.size() == 1 ? parts.front() : data::concat(std::move(parts));
}

TrainingData make_sets(const ArrayArguments& asked, const ReadArray& read) {
  std::vector<std::vector<ArrayPair>> sets;
  for (std::size_t i = 0; i < asked.arrays.size(); i += 2)
    sets.push_back(pairs_of(asked.arrays[i], asked.arrays[i + 1], asked.order,
                            !fits_in_data_memory(bytes_of_files(asked.arrays[i])), read));
  int num_classes = 0;
  for (const auto& set : sets)
    for (const ArrayPair& pair : set) {
      pair.check_like(sets.front().front());
      num_classes = std::max(num_classes, pair.num_classes());
    }
  TrainingData data{join(std::move(sets.front()), num_classes)};
  if (sets.size() > 1) data.test = join(std::move(sets.back()), num_classes);
  return data;
}

NamedArray read_npy_array(const std::string& path, bool stays_in_file) {
  if (!stays_in_file) return {path, read_npy(path)};
  auto file = std::make_shared<const NpyFile>(path);
  return {path, file->array(), file};
}

NamedArray read_idx_array(const std::string& path, bool /*stays_in_file*/) { return {path, read_idx(path)}; }

}  // namespace

TrainingData npy_files(const std::string& arguments, std::uint64_t /*seed*/) {
  return make_sets(parse_arrays("npy", arguments, kNpyUsage), read_npy_array);
}

TrainingData idx_files(const std::string& arguments, std::uint64_t /*seed*/) {
  return make_sets(parse_arrays("idx", arguments, kIdxUsage), read_idx_array);
}

}  // namespace troupe
