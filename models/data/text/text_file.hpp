#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {

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

/// Returns the name of a symbol for messages and class names: the character itself or, if it is not visible, its code,
/// such as "U+0009" or "0x09".
std::string name_of(std::uint32_t symbol, Symbols symbols);
/// Returns a symbol as text: the character in UTF-8, or the byte.
std::string text_of(std::uint32_t symbol, Symbols symbols);

}  // namespace troupe
