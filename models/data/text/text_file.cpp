#include "models/data/text/text_file.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

#include "runtime/letter.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

/// The number of characters from one offset in `places_` to the next.
constexpr std::int64_t kBetweenPlaces = 1024;
constexpr std::size_t kPassPiece = std::size_t{1} << 20;
constexpr std::size_t kReadPiece = 4096;
/// The maximum number of bytes of a character in UTF-8.
constexpr std::size_t kMostBytes = 4;

}  // namespace

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

std::string text_of(std::uint32_t symbol, Symbols symbols) {
  std::string letter;
  const auto add = [&](std::uint32_t byte) { letter += static_cast<char>(byte); };
  if (symbol < 0x80 || symbols == Symbols::bytes) {
    add(symbol);
  } else {
    constexpr std::uint32_t kLow = 0x3f;
    const int more = symbol < 0x800 ? 1 : symbol < 0x10000 ? 2 : 3;
    constexpr std::uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
    add(kLead[more] | symbol >> (6 * more));
    for (int left = more - 1; left >= 0; --left) add(0x80 | (symbol >> (6 * left) & kLow));
  }
  return letter;
}

std::string name_of(std::uint32_t symbol, Symbols symbols) {
  std::string letter = symbols == Symbols::characters || symbol < 0x80 ? text_of(symbol, symbols) : "";
  if (!letter.empty() && letter != " " && is_printable(letter)) return letter;
  char number[16];
  std::snprintf(number, sizeof number, symbols == Symbols::bytes ? "0x%02X" : "U+%04X", symbol);
  return number;
}

}  // namespace troupe
