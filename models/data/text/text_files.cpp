#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "models/data/answers.hpp"
#include "models/data/arguments.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/file_patterns.hpp"
#include "models/data/text/text_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/pipeline.hpp"

namespace troupe {
namespace {

/// So many different symbols a sample's floats can tell apart.
constexpr std::size_t kMostSymbols = 4096;

/// What stands behind "text:".
struct TextArguments {
  std::vector<std::string> files;
  std::vector<std::string> test_files;
  Symbols symbols = Symbols::characters;
  std::int64_t window = 64;
  std::int64_t stride = 1;
  bool unseen_zero = false;  ///< a symbol that the training text did not have becomes zeros, rather than an error
};

TextArguments parse_text_arguments(const std::string& text) {
  TextArguments asked;
  const auto add = [](std::vector<std::string>& files, const std::string& pattern) {
    std::ranges::move(files_of(pattern), std::back_inserter(files));
  };
  const auto symbols = [&](const std::string& value) {
    if (value != "bytes" && value != "characters")
      throw_invalid("text: symbols=" + value + " is neither bytes nor characters");
    asked.symbols = value == "bytes" ? Symbols::bytes : Symbols::characters;
  };
  const auto patterns = parse_data_arguments(
      "text", text, kTextUsage,
      {{"test", [&](const std::string& value) { add(asked.test_files, value); }},
       {"symbols", symbols},
       {"window", [&](const std::string& value) { asked.window = data_length("text: window", value); }},
       {"unseen", [&](const std::string& value) { asked.unseen_zero = zero_for_unseen("text", value); }},
       {"stride", [&](const std::string& value) { asked.stride = data_length("text: stride", value); }}});
  for (const std::string& pattern : patterns) add(asked.files, pattern);
  if (asked.files.empty()) throw_invalid("text:" + text + " names no file: text" + kTextUsage);
  return asked;
}

/// A letter, or its number where it does not show itself.
std::string name_of(std::uint32_t symbol, Symbols symbols) {
  std::string letter;
  const auto add = [&](std::uint32_t byte) { letter += static_cast<char>(byte); };
  if (symbol < 0x80) {
    add(symbol);
  } else if (symbols == Symbols::characters) {
    constexpr std::uint32_t kLow = 0x3f;
    const int more = symbol < 0x800 ? 1 : symbol < 0x10000 ? 2 : 3;
    constexpr std::uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
    add(kLead[more] | symbol >> (6 * more));
    for (int left = more - 1; left >= 0; --left) add(0x80 | (symbol >> (6 * left) & kLow));
  }
  if (!letter.empty() && letter != " " && is_printable(letter)) return letter;
  char number[16];
  std::snprintf(number, sizeof number, symbols == Symbols::bytes ? "0x%02X" : "U+%04X", symbol);
  return number;
}

/// Windows of a text; the class of each is the symbol behind it.
class TextWindows final : public DataSource {
 public:
  TextWindows(TextFile file, std::vector<std::uint32_t> vocabulary, const TextArguments& asked)
      : DataSource(info_of(file, vocabulary, asked)),
        file_(std::move(file)),
        vocabulary_(std::move(vocabulary)),
        window_(asked.window),
        stride_(asked.stride),
        symbols_(asked.symbols),
        unseen_zero_(asked.unseen_zero) {}

 private:
  static DataInfo info_of(const TextFile& file, const std::vector<std::uint32_t>& vocabulary,
                          const TextArguments& asked) {
    if (file.size() <= asked.window)
      throw Error(ErrorCode::bad_data, std::to_string(file.size()) + " symbols, which are no window and one behind it",
                  {.object = file.path()});
    DataInfo info{.num_samples = (file.size() - asked.window - 1) / asked.stride + 1,
                  .shape = {asked.window, std::ssize(vocabulary)},
                  .num_classes = static_cast<int>(vocabulary.size())};
    for (const std::uint32_t symbol : vocabulary) info.class_names.push_back(name_of(symbol, asked.symbols));
    info.encoding = {.columns = {}, .symbols = vocabulary, .symbols_are_bytes = asked.symbols == Symbols::bytes};
    info.origin = file.path();
    info.lacks = asked.unseen_zero;
    info.slow = true;
    return info;
  }

  void read(const BatchRequest& request) const override {
    std::vector<std::uint32_t> symbols(static_cast<std::size_t>(window_) + 1);
    float* to = request.values.data();
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      file_.read(request.samples[i] * stride_, symbols);
      for (std::size_t place = 0; place < symbols.size() - 1; ++place, to += vocabulary_.size())
        if (const auto number = class_of(symbols[place])) to[*number] = 1;
      const auto label = class_of(symbols.back());
      if (label) request.labels[i] = static_cast<std::int32_t>(*label);
      if (!label && request.holes.empty())
        throw Error(ErrorCode::bad_data, "the training text has no " + name_of(symbols.back(), symbols_),
                    {.object = file_.path()});
      if (!label) request.holes[i] = 1;
    }
  }

  /// Nothing for one that the training text did not have.
  std::optional<std::size_t> class_of(std::uint32_t symbol) const {
    const auto found = std::ranges::lower_bound(vocabulary_, symbol);
    if (found != vocabulary_.end() && *found == symbol) return static_cast<std::size_t>(found - vocabulary_.begin());
    if (!unseen_zero_) throw_bad_file(file_.path(), "it has been changed");
    return {};
  }

  TextFile file_;
  std::vector<std::uint32_t> vocabulary_;
  std::int64_t window_;
  std::int64_t stride_;
  Symbols symbols_;
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
                std::to_string(all.size()) + " different characters, of which " + std::to_string(kMostSymbols) +
                    " can be told apart: symbols=bytes has 256 at most",
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
                    "the training text has no " + name_of(symbol, asked.symbols) + "; unseen=zero makes zeros of it",
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
  TrainingData data{windows_of(open_all(asked.files, asked.symbols), vocabulary, asked)};
  if (!asked.test_files.empty()) data.test = windows_of(open_all(asked.test_files, asked.symbols), vocabulary, asked);
  return data;
}

}  // namespace troupe
