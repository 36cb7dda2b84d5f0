#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/files/byte_source.hpp"

namespace troupe {

/// The format of a file of tokens.
enum class TokenFormat : std::uint8_t {
  detect,  ///< npy by the name of the file, llmc by its first bytes, otherwise raw
  raw,     ///< unsigned 16-bit integers, little endian, without a header: as nanoGPT writes them
  llmc,    ///< as llm.c writes them: a header of 256 32-bit integers, then 16-bit (GPT-2) or 32-bit (Llama 3) integers
  npy,     ///< a NumPy array with one dimension of unsigned 16-bit or 32-bit integers
};

/// A file of tokens, which are read on demand. Thread-safe.
class TokenFile {
 public:
  /// Opens a file and checks its header and its length.
  /// @throws Error bad_file if the file is missing, has another format, or has another length than its header declares
  TokenFile(std::shared_ptr<const ByteSource> file, TokenFormat format);

  const std::string& path() const { return file_->path(); }
  /// Returns the number of tokens.
  std::int64_t size() const { return size_; }
  /// Returns the number of different tokens of the tokenizer for which this format was made: that of GPT-2 or Llama 3.
  std::int64_t usual_vocabulary() const;

  /// Fills `tokens` with consecutive tokens.
  /// @param first the number of the first one, counted from 0
  /// @param vocabulary the number of different tokens
  /// @throws Error bad_data if a token is not in the vocabulary (the message names its place in the file), bad_file if
  /// the file cannot be read
  void read(std::int64_t first, std::span<std::uint32_t> tokens, std::int64_t vocabulary) const;

 private:
  void open_raw();
  void open_llmc();
  void open_npy();

  std::shared_ptr<const ByteSource> file_;
  std::uint64_t begin_ = 0;  ///< offset of the first token in bytes
  std::size_t bytes_ = 2;    ///< size of a token in bytes
  std::int64_t size_ = 0;
  bool big_endian_ = false;
};

}  // namespace troupe
