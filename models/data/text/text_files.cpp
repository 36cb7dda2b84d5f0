#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/data/answers.hpp"
#include "models/data/arguments.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/file_patterns.hpp"
#include "models/data/text/text_file.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "troupe/pipeline.hpp"

namespace troupe {
namespace {

/// The maximum number of different symbols that the training set may have.
constexpr std::size_t kMostSymbols = 4096;

/// The arguments after "text:" in a data name.
struct TextArguments {
  std::vector<std::string> files;
  std::vector<std::string> test_files;
  Symbols symbols = Symbols::characters;
  std::int64_t window = 64;
  std::int64_t stride = 0;     ///< 0: the default
  bool predicts_each = false;  ///< whether each symbol of a window has a label, the symbol after it; otherwise only the
                               ///< last one has
  bool unseen_zero = false;  ///< whether a symbol that does not occur in the training text becomes zeros; otherwise it
                             ///< is an error
};

TextArguments parse_text_arguments(const std::string& text) {
  TextArguments asked;
  const auto add = [](std::vector<std::string>& files, const std::string& pattern) {
    std::ranges::move(files_of(pattern, Servers::refused), std::back_inserter(files));
  };
  const auto symbols = [&](const std::string& value) {
    if (value != "bytes" && value != "characters")
      throw_invalid("text: symbols=" + value + " must be bytes or characters");
    asked.symbols = value == "bytes" ? Symbols::bytes : Symbols::characters;
  };
  const auto predict = [&](const std::string& value) {
    if (value != "last" && value != "each") throw_invalid("text: predict=" + value + " must be last or each");
    asked.predicts_each = value == "each";
  };
  const auto patterns = parse_data_arguments(
      "text", text, kTextUsage,
      {{"test", [&](const std::string& value) { add(asked.test_files, value); }},
       {"symbols", symbols},
       {"predict", predict},
       {"window", [&](const std::string& value) { asked.window = data_length("text: window", value); }},
       {"unseen", [&](const std::string& value) { asked.unseen_zero = zero_for_unseen("text", value); }},
       {"stride", [&](const std::string& value) { asked.stride = data_length("text: stride", value); }}});
  for (const std::string& pattern : patterns) add(asked.files, pattern);
  if (asked.stride == 0) asked.stride = asked.predicts_each ? asked.window : 1;
  if (asked.predicts_each && asked.window < 2) throw_invalid("text: predict=each needs a window of at least 2");
  if (asked.predicts_each && asked.unseen_zero)
    throw_invalid("text: unseen=zero is impossible with predict=each: there is no token for other symbols");
  if (asked.files.empty()) throw_invalid("text:" + text + " does not name a file; usage: text" + kTextUsage);
  return asked;
}

/// The windows of a text, as data. Each sample is a window of consecutive symbols. Its class is the symbol after the
/// window or, with predict=each, it has a label at each position: the next symbol.
class TextWindows final : public DataSource {
 public:
  TextWindows(TextFile file, std::vector<std::uint32_t> vocabulary, const TextArguments& asked)
      : DataSource(info_of(file, vocabulary, asked)),
        file_(std::move(file)),
        vocabulary_(std::move(vocabulary)),
        window_(asked.window),
        stride_(asked.stride),
        symbols_(asked.symbols),
        predicts_each_(asked.predicts_each),
        unseen_zero_(asked.unseen_zero) {}

 private:
  static DataInfo info_of(const TextFile& file, const std::vector<std::uint32_t>& vocabulary,
                          const TextArguments& asked) {
    if (file.size() <= asked.window)
      throw Error(ErrorCode::bad_data,
                  std::to_string(file.size()) + " symbols are too few for one window and the symbol after it",
                  {.object = file.path()});
    DataInfo info{.num_samples = (file.size() - asked.window - 1) / asked.stride + 1,
                  .shape = {asked.window, std::ssize(vocabulary)},
                  .num_classes = static_cast<int>(vocabulary.size())};
    if (asked.predicts_each) {
      info.shape = {asked.window};
      info.labels_per_sample = asked.window;
      info.vocabulary = std::ssize(vocabulary);
    }
    for (const std::uint32_t symbol : vocabulary) info.class_names.push_back(name_of(symbol, asked.symbols));
    info.encoding = {.columns = {}, .symbols = vocabulary, .symbols_are_bytes = asked.symbols == Symbols::bytes};
    info.origin = file.path();
    info.lacks = asked.unseen_zero;
    info.slow = true;
    return info;
  }

  void read(const BatchRequest& request) const override {
    predicts_each_ ? read_tokens(request) : read_categories(request);
  }

  void read_tokens(const BatchRequest& request) const {
    const auto window = static_cast<std::size_t>(window_);
    std::vector<std::uint32_t> symbols(window + 1);
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      file_.read(request.samples[i] * stride_, symbols);
      for (std::size_t place = 0; place <= window; ++place) {
        const std::size_t token = *class_of(symbols[place]);
        if (place < window) request.values[i * window + place] = static_cast<float>(token);
        if (place > 0) request.labels[i * window + place - 1] = static_cast<std::int32_t>(token);
      }
    }
  }

  void read_categories(const BatchRequest& request) const {
    std::vector<std::uint32_t> symbols(static_cast<std::size_t>(window_) + 1);
    float* to = request.values.data();
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      file_.read(request.samples[i] * stride_, symbols);
      for (std::size_t place = 0; place < symbols.size() - 1; ++place, to += vocabulary_.size())
        if (const auto number = class_of(symbols[place])) to[*number] = 1;
      const auto label = class_of(symbols.back());
      if (label) request.labels[i] = static_cast<std::int32_t>(*label);
      if (!label && request.holes.empty())
        throw Error(ErrorCode::bad_data, "the training text does not contain " + name_of(symbols.back(), symbols_),
                    {.object = file_.path()});
      if (!label) request.holes[i] = 1;
    }
  }

  /// Returns the index of a symbol in the vocabulary. If the vocabulary does not contain the symbol, and the user set
  /// unseen=zero, returns nothing.
  /// @throws Error bad_file if the vocabulary does not contain the symbol, and unseen=zero is not set. The file must
  /// then have changed, because all its symbols were checked when it was opened
  std::optional<std::size_t> class_of(std::uint32_t symbol) const {
    const auto found = std::ranges::lower_bound(vocabulary_, symbol);
    if (found != vocabulary_.end() && *found == symbol) return static_cast<std::size_t>(found - vocabulary_.begin());
    if (!unseen_zero_) throw_bad_file(file_.path(), "the file has changed");
    return {};
  }

  TextFile file_;
  std::vector<std::uint32_t> vocabulary_;
  std::int64_t window_;
  std::int64_t stride_;
  Symbols symbols_;
  bool predicts_each_;
  bool unseen_zero_;
};

std::vector<TextFile> open_all(const std::vector<std::string>& paths, Symbols symbols) {
  std::vector<TextFile> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.emplace_back(path, symbols);
  return files;
}

std::vector<std::uint32_t> vocabulary_of(const std::vector<TextFile>& files) {
  std::vector<std::uint32_t> all;
  for (const TextFile& file : files) {
    std::vector<std::uint32_t> both;
    std::ranges::set_union(all, file.different(), std::back_inserter(both));
    all = std::move(both);
  }
  if (all.size() > kMostSymbols)
    throw Error(ErrorCode::limit_reached,
                std::to_string(all.size()) + " different characters; the limit is " + std::to_string(kMostSymbols) +
                    "; use symbols=bytes, which has at most 256",
                {.object = files.front().path()});
  return all;
}

std::shared_ptr<const DataSource> windows_of(std::vector<TextFile> files, const std::vector<std::uint32_t>& vocabulary,
                                             const TextArguments& asked) {
  std::vector<std::shared_ptr<const DataSource>> parts;
  for (TextFile& file : files) {
    for (const std::uint32_t symbol : file.different())
      if (!asked.unseen_zero && !std::ranges::binary_search(vocabulary, symbol))
        throw Error(ErrorCode::bad_data,
                    "the training text does not contain " + name_of(symbol, asked.symbols) +
                        (asked.predicts_each ? "" : "; use unseen=zero to use zeros"),
                    {.object = file.path()});
    parts.push_back(std::make_shared<const TextWindows>(std::move(file), vocabulary, asked));
  }
  return parts.size() == 1 ? parts.front() : data::concat(std::move(parts));
}

}  // namespace

TrainingData text_files(const std::string& arguments, std::uint64_t /*seed*/) {
  const TextArguments asked = parse_text_arguments(arguments);
  std::vector<TextFile> files = open_all(asked.files, asked.symbols);
  const std::vector<std::uint32_t> vocabulary = vocabulary_of(files);
  TrainingData data{windows_of(std::move(files), vocabulary, asked)};
  if (!asked.test_files.empty()) data.test = windows_of(open_all(asked.test_files, asked.symbols), vocabulary, asked);
  return data;
}

TrainingData text_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed) {
  const std::vector<std::uint32_t>& vocabulary = trained.encoding.symbols;
  if (vocabulary.empty()) return text_files(arguments, seed);
  TextArguments asked = parse_text_arguments(arguments);
  asked.symbols = trained.encoding.symbols_are_bytes ? Symbols::bytes : Symbols::characters;
  if (asked.predicts_each != (trained.labels_per_sample > 1))
    throw_invalid(std::string("text: the network was trained with predict=") + (asked.predicts_each ? "last" : "each"));
  TrainingData data{windows_of(open_all(asked.files, asked.symbols), vocabulary, asked)};
  if (!asked.test_files.empty()) data.test = windows_of(open_all(asked.test_files, asked.symbols), vocabulary, asked);
  return data;
}

}  // namespace troupe
