#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/data/answers.hpp"
#include "models/data/arguments.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/file_patterns.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/letter.hpp"
#include "runtime/printable.hpp"
#include "troupe/pipeline.hpp"

namespace troupe {
namespace {

/// The kinds of symbols that a text is divided into.
enum class Symbols : std::uint8_t {
  bytes,
  characters,  ///< characters in UTF-8; the number of a character is its code point
};

/// A text file whose symbols are read on demand. Thread-safe.
class TextFile {
 public:
  /// Reads the whole file once, to count its symbols, to find the different symbols, and to store the offsets of some
  /// symbols.
  /// @throws Error bad_file if the file cannot be read, or if characters are requested but the file is not valid UTF-8
  TextFile(const std::string& path, Symbols symbols);

  const std::string& path() const { return file_.path(); }
  std::int64_t size() const { return size_; }
  /// Returns the code (code point or byte value) of each distinct symbol of the text, in ascending order.
  const std::vector<std::uint32_t>& different() const { return different_; }
  /// Fills `numbers` with the codes (code points or byte values) of consecutive symbols of the text. The first of these
  /// is symbol number `first`, counted from 0.
  /// @throws Error bad_file if the file has changed since it was opened
  void read(std::int64_t first, std::span<std::uint32_t> numbers) const;

 private:
  /// Reads symbols from byte `offset` of the file on, where a symbol must begin. Calls `take` for each symbol, with its
  /// code and its offset, until `take` returns false or the file ends.
  /// @param piece the number of bytes to read from the file at a time
  template <class Take>
  void pass(std::uint64_t offset, std::size_t piece, Take take) const;

  InputFile file_;
  Symbols symbols_;
  std::int64_t size_ = 0;
  std::vector<std::uint32_t> different_;
  std::vector<std::uint64_t> places_;  ///< offsets in bytes of every kBetweenPlaces-th character; empty if symbols are
                                       ///< bytes
};

/// The number of characters from one offset in `places_` to the next.
constexpr std::int64_t kBetweenPlaces = 1024;
constexpr std::size_t kPassPiece = std::size_t{1} << 20;
constexpr std::size_t kReadPiece = 4096;
/// The maximum number of bytes of a character in UTF-8.
constexpr std::size_t kMostBytes = 4;

template <class Take>
void TextFile::pass(std::uint64_t offset, std::size_t piece, Take take) const {
  std::string text;
  while (offset < file_.size()) {
    text.resize(std::min<std::uint64_t>(piece, file_.size() - offset));
    file_.read(offset, std::as_writable_bytes(std::span(text)));
    const bool last = offset + text.size() == file_.size();
    std::size_t at = 0;
    while (at < text.size() && (last || symbols_ == Symbols::bytes || at + kMostBytes <= text.size())) {
      Letter letter{static_cast<unsigned char>(text[at]), 1, true};
      if (symbols_ == Symbols::characters) letter = first_letter(std::string_view(text).substr(at));
      if (!letter.well_formed)
        throw_bad_file(
            path(), "byte " + std::to_string(offset + at) + " is not valid UTF-8; use symbols=bytes to read any text");
      if (!take(letter.number, offset + at)) return;
      at += letter.bytes;
    }
    offset += at;
  }
}

TextFile::TextFile(const std::string& path, Symbols symbols) : file_(path), symbols_(symbols) {
  std::set<std::uint32_t> rare;
  std::vector<bool> seen(0x10000);
  pass(0, kPassPiece, [&](std::uint32_t number, std::uint64_t offset) {
    if (symbols_ == Symbols::characters && size_ % kBetweenPlaces == 0) places_.push_back(offset);
    ++size_;
    if (number < seen.size()) {
      seen[number] = true;
    } else {
      rare.insert(number);
    }
    return true;
  });
  file_.check_unchanged();
  for (std::uint32_t number = 0; number < seen.size(); ++number)
    if (seen[number]) different_.push_back(number);
  different_.insert(different_.end(), rare.begin(), rare.end());
}

void TextFile::read(std::int64_t first, std::span<std::uint32_t> numbers) const {
  std::int64_t skipped = 0;
  auto offset = static_cast<std::uint64_t>(first);
  if (symbols_ == Symbols::characters) {
    skipped = first % kBetweenPlaces;
    offset = places_.at(static_cast<std::size_t>(first / kBetweenPlaces));
  }
  std::size_t done = 0;
  pass(offset, kReadPiece, [&](std::uint32_t number, std::uint64_t /*offset*/) {
    if (skipped-- > 0) return true;
    if (done < numbers.size()) numbers[done++] = number;
    return done < numbers.size();
  });
  if (done < numbers.size()) throw_bad_file(path(), "truncated");
  file_.check_unchanged();
}

/// The maximum number of different symbols that the training set may have.
constexpr std::size_t kMostSymbols = 4096;

/// The arguments after "text:" in a data name.
struct TextArguments {
  std::vector<std::string> files;
  std::vector<std::string> test_files;
  Symbols symbols = Symbols::characters;
  std::int64_t window = 64;
  std::int64_t stride = 1;
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
  const auto patterns = parse_data_arguments(
      "text", text, kTextUsage,
      {{"test", [&](const std::string& value) { add(asked.test_files, value); }},
       {"symbols", symbols},
       {"window", [&](const std::string& value) { asked.window = data_length("text: window", value); }},
       {"unseen", [&](const std::string& value) { asked.unseen_zero = zero_for_unseen("text", value); }},
       {"stride", [&](const std::string& value) { asked.stride = data_length("text: stride", value); }}});
  for (const std::string& pattern : patterns) add(asked.files, pattern);
  if (asked.files.empty()) throw_invalid("text:" + text + " does not name a file; usage: text" + kTextUsage);
  return asked;
}

/// Returns the name of a symbol for messages and class names: the character itself or, if it is not visible, its code,
/// such as "U+0009" or "0x09".
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

/// The windows of a text, as data. Each sample is a window of consecutive symbols, and its class is the symbol after
/// the window.
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
      throw Error(ErrorCode::bad_data,
                  std::to_string(file.size()) + " symbols are too few for one window and the symbol after it",
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
        throw Error(
            ErrorCode::bad_data,
            "the training text does not contain " + name_of(symbol, asked.symbols) + "; use unseen=zero to use zeros",
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
