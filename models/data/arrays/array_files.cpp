#include <algorithm>
#include <array>
#include <functional>
#include <map>
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
#include "models/data/in_parallel.hpp"
#include "models/data/remote_blocks.hpp"
#include "models/files/archives/npz.hpp"
#include "models/files/idx.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/http/url.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/pipeline.hpp"

// Reads data from files that contain one array each (npy and idx), or from a file that contains several arrays (npz).
namespace troupe {
namespace {

using Files = std::vector<std::string>;

/// The arguments after "npy:" or "idx:" in a data name: for each array, the files that contain it.
struct ArrayArguments {
  std::vector<Files> arrays;  ///< files of the samples and files of the labels; if there is a test set, followed by
                              ///< those of its samples and labels
  std::optional<PixelOrder> order;
};

ArrayArguments parse_arrays(const std::string& name, const std::string& text, const char* usage) {
  ArrayArguments asked;
  const auto layout = [&](const std::string& value) { asked.order = pixel_order_of(name, value); };
  for (const std::string& pattern : parse_data_arguments(name, text, usage, {{"layout", layout}}))
    asked.arrays.push_back(files_of(pattern, name == "npy" ? Servers::read : Servers::refused));
  if (asked.arrays.size() != 2 && asked.arrays.size() != 4)
    throw_invalid(name + ":" + text + " does not have the form " + name + usage);
  for (std::size_t i = 1; i < asked.arrays.size(); i += 2)
    if (asked.arrays[i].size() != asked.arrays[i - 1].size())
      throw_invalid(name + ": " + std::to_string(asked.arrays[i - 1].size()) + " files of samples but " +
                    std::to_string(asked.arrays[i].size()) + " files of labels");
  return asked;
}

using ReadArray = std::function<NamedArray(const std::string& file, bool stays_in_file)>;

/// Reads one array of each file, from servers several at a time.
std::vector<NamedArray> read_arrays(const Files& files, bool stays_in_file, const ReadArray& read) {
  std::vector<NamedArray> arrays(files.size());
  const auto read_one = [&](std::size_t i) { arrays[i] = read(files[i], stays_in_file); };
  if (is_url(files.front()))
    in_parallel(files.size(), read_one);
  else
    for (std::size_t i = 0; i < files.size(); ++i) read_one(i);
  return arrays;
}

/// Reads the arrays of one set (training set or test set). Returns one pair of arrays for each file of samples and the
/// file of labels that belongs to it.
/// @param stays_in_file whether the samples stay in their files, to be read on demand
/// @param read reads one file
std::vector<ArrayPair> pairs_of(const Files& samples, const Files& labels, std::optional<PixelOrder> order,
                                bool stays_in_file, const ReadArray& read) {
  std::vector<NamedArray> values = read_arrays(samples, stays_in_file, read);
  std::vector<NamedArray> answers = read_arrays(labels, false, read);
  std::vector<ArrayPair> pairs;
  pairs.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    pairs.emplace_back(std::move(values[i]), std::move(answers[i]), order);
  return pairs;
}

std::shared_ptr<const DataSource> join(std::vector<ArrayPair> pairs, int num_classes) {
  std::vector<std::shared_ptr<const DataSource>> parts;
  parts.reserve(pairs.size());
  for (ArrayPair& pair : pairs) parts.push_back(std::move(pair).make(num_classes));
  return parts.size() == 1 ? parts.front() : data::concat(std::move(parts));
}

/// Checks that all pairs of arrays have the same kind of samples and labels, and joins the pairs of each set. Returns
/// the training set and, if there is one, the test set.
/// @param sets the pairs of the training set; if there is a test set, followed by its pairs
TrainingData make_data(std::vector<std::vector<ArrayPair>> sets) {
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

TrainingData make_sets(const ArrayArguments& asked, const ReadArray& read) {
  std::vector<std::vector<ArrayPair>> sets;
  std::vector<std::vector<std::shared_ptr<const ByteSource>>> in_use;  // so that each file is opened once
  for (const Files& files : asked.arrays)
    if (is_url(files.front())) in_use.push_back(open_data(files));
  for (std::size_t i = 0; i < asked.arrays.size(); i += 2)
    sets.push_back(pairs_of(asked.arrays[i], asked.arrays[i + 1], asked.order,
                            !fits_in_data_memory(bytes_of_files(asked.arrays[i])), read));
  return make_data(std::move(sets));
}

NamedArray read_npy_array(const std::string& path, bool stays_in_file) {
  const auto source = open_data(path);
  if (!stays_in_file) {
    if (source->block_size() > 0 && source->size() > data_memory())
      throw Error(ErrorCode::limit_reached,
                  "the file has " + std::to_string(source->size() >> 20) + " MB; the limit is " +
                      std::to_string(data_memory() >> 20) + " MB (memory.data_bytes, --data-memory)",
                  {.object = source->path()});
    source->prefetch(0, source->size());
    return {source->path(), read_npy(*source)};
  }
  auto file = std::make_shared<NpyFile>(source);
  file->read_from(with_blocks_of_rows(source, file->offset_of(0), static_cast<std::uint64_t>(file->row_bytes())));
  return {file->path(), file->array(), file};
}

/// Returns a function that reads IDX files into memory. All files together may take at most `data_memory()` bytes.
ReadArray read_idx_arrays() {
  return [left = data_memory()](const std::string& path, bool /*stays_in_file*/) mutable {
    NamedArray array{path, read_idx(path, left)};
    left -= array.array.bytes.size();
    return array;
  };
}

/// The arguments after "npz:" in a data name.
struct NpzArguments {
  std::string file;
  std::array<std::string, 4> names;  ///< names of the arrays of samples, labels, test samples and test labels; all
                                     ///< empty: `find_names` sets them
  std::optional<PixelOrder> order;
};

/// The names that `find_names` tries for the arrays of samples, labels, test samples and test labels. Among these are
/// the names in data sets of Keras, and those that numpy.savez gives by default.
constexpr std::array<std::array<const char*, 4>, 5> kUsualNames{{{"x_train", "y_train", "x_test", "y_test"},
                                                                 {"x", "y", "test_x", "test_y"},
                                                                 {"images", "labels", "test_images", "test_labels"},
                                                                 {"data", "target", "test_data", "test_target"},
                                                                 {"arr_0", "arr_1", "arr_2", "arr_3"}}};

NpzArguments parse_npz(const std::string& text) {
  NpzArguments asked;
  DataOptions options{{"layout", [&](const std::string& value) { asked.order = pixel_order_of("npz", value); }}};
  constexpr std::array<const char*, 4> kOptions{"x", "y", "test_x", "test_y"};
  for (std::size_t i = 0; i < kOptions.size(); ++i)
    options[kOptions[i]] = [&asked, i](const std::string& value) { asked.names[i] = value; };
  const Files files = parse_data_arguments("npz", text, kNpzUsage, options);
  if (files.size() != 1) throw_invalid("npz:" + text + " does not have the form npz" + kNpzUsage);
  asked.file = is_url(files.front()) ? files_of(files.front(), Servers::refused).front() : files.front();
  for (std::size_t i = 0; i < asked.names.size(); i += 2)
    if (asked.names[i].empty() != asked.names[i + 1].empty())
      throw_invalid("npz: " + std::string(kOptions[i]) + "= and " + kOptions[i + 1] + "= must be used together");
  if (asked.names[0].empty() && !asked.names[2].empty()) throw_invalid("npz: test_x= needs x= and y=");
  return asked;
}

using NamedArrays = std::map<std::string, NumberArray>;

/// If the user did not choose names of arrays, sets `asked.names` to the first line of kUsualNames whose names of
/// samples and labels the file contains.
/// @param arrays the arrays of the file
/// @throws Error bad_file if the file contains none of these names; the message lists its arrays
void find_names(NpzArguments& asked, const NamedArrays& arrays) {
  if (!asked.names[0].empty()) return;
  for (const auto& usual : kUsualNames) {
    if (!arrays.contains(usual[0]) || !arrays.contains(usual[1])) continue;
    asked.names = {usual[0], usual[1]};
    if (arrays.contains(usual[2]) && arrays.contains(usual[3])) asked.names = {usual[0], usual[1], usual[2], usual[3]};
    return;
  }
  std::string list;
  for (const auto& [name, array] : arrays) list += (list.empty() ? "" : ", ") + printable(name, 100);
  throw_bad_file(asked.file, "select the arrays of samples and labels with x=NAME and y=NAME; the file contains " +
                                 printable(list));
}

NamedArray take_array(const NpzArguments& asked, NamedArrays& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  if (found == arrays.end()) throw_bad_file(asked.file, "the file has no array '" + printable(name, 100) + "'");
  NamedArray array{asked.file + ":" + printable(name, 100), {}};
  const bool once = std::ranges::count(asked.names, name) == 1;
  array.array = once ? std::move(found->second) : found->second;
  return array;
}

}  // namespace

TrainingData npy_files(const std::string& arguments, std::uint64_t /*seed*/) {
  return make_sets(parse_arrays("npy", arguments, kNpyUsage), read_npy_array);
}

TrainingData idx_files(const std::string& arguments, std::uint64_t /*seed*/) {
  return make_sets(parse_arrays("idx", arguments, kIdxUsage), read_idx_arrays());
}

TrainingData npz_files(const std::string& arguments, std::uint64_t /*seed*/) {
  NpzArguments asked = parse_npz(arguments);
  NamedArrays arrays = read_npz(asked.file, data_memory());
  find_names(asked, arrays);
  std::vector<std::vector<ArrayPair>> sets;
  for (std::size_t i = 0; i < asked.names.size() && !asked.names[i].empty(); i += 2)
    sets.emplace_back().emplace_back(take_array(asked, arrays, asked.names[i]),
                                     take_array(asked, arrays, asked.names[i + 1]), asked.order);
  return make_data(std::move(sets));
}

}  // namespace troupe
