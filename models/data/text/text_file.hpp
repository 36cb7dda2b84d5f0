#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/files/input_file.hpp"

namespace troupe {

/// What a text is a row of.
enum class Symbols : std::uint8_t {
  bytes,
  characters,  ///< of UTF-8; their numbers are Unicode's
};

/// A text that is read where it is asked for. By several threads at once.
class TextFile {
 public:
  /// Passes over the file once. @throws Error bad_file when it cannot be read, or is no UTF-8 and characters are wanted
  TextFile(const std::string& path, Symbols symbols);

  const std::string& path() const { return file_.path(); }
  std::int64_t size() const { return size_; }
  /// Its symbols' numbers, each once, in their order.
  const std::vector<std::uint32_t>& different() const { return different_; }
  /// Writes the numbers of the symbols that begin with `first`. @throws Error bad_file when the file has changed
  void read(std::int64_t first, std::span<std::uint32_t> numbers) const;

 private:
  /// Calls `take(number, offset)` for each symbol from an offset on where one begins, until that is false.
  template <class Take>
  void pass(std::uint64_t offset, std::size_t piece, Take take) const;

  InputFile file_;
  Symbols symbols_;
  std::int64_t size_ = 0;
  std::vector<std::uint32_t> different_;
  std::vector<std::uint64_t> places_;  ///< where every so-many-th character begins
};

}  // namespace troupe
