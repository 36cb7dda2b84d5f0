#include "models/data/tokens/token_file.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "models/files/npy.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The first number of a file of llm.c (dataloader.h), its version, and the size of its tokens.
struct LlmcKind {
  std::uint32_t magic;
  std::uint32_t version;
  std::size_t bytes;
};
constexpr std::array<LlmcKind, 2> kLlmcKinds{{{20240520, 1, 2}, {20240801, 7, 4}}};
constexpr std::size_t kLlmcHeader = 256 * sizeof(std::uint32_t);
/// Numbers in this range are dates, as which llm.c writes the first number of all its files.
constexpr std::uint32_t kFirstDate = 20240101;
constexpr std::uint32_t kLastDate = 20301231;
/// The second number of such a file, its version, is at most this number.
constexpr std::uint32_t kMostVersions = 255;

TokenFormat detected(const ByteSource& file) {
  if (file.path().ends_with(".npy")) return TokenFormat::npy;
  std::array<std::uint32_t, 2> first{};
  if (file.size() < sizeof first) return TokenFormat::raw;
  file.read(0, std::as_writable_bytes(std::span(first)));
  const bool dated = first[0] >= kFirstDate && first[0] <= kLastDate && first[1] <= kMostVersions;
  return dated ? TokenFormat::llmc : TokenFormat::raw;
}

}  // namespace

TokenFile::TokenFile(std::shared_ptr<const ByteSource> file, TokenFormat format) : file_(std::move(file)) {
  const TokenFormat used = format == TokenFormat::detect ? detected(*file_) : format;
  if (used == TokenFormat::llmc)
    open_llmc();
  else if (used == TokenFormat::npy)
    open_npy();
  else
    open_raw();
}

void TokenFile::open_raw() {
  if (file_->size() % bytes_ != 0)
    throw_bad_file(path(),
                   "a file of 16-bit tokens cannot have an odd number of bytes: " + std::to_string(file_->size()));
  size_ = static_cast<std::int64_t>(file_->size() / bytes_);
}

void TokenFile::open_llmc() {
  std::array<std::uint32_t, 3> header{};
  if (file_->size() < kLlmcHeader) throw_bad_file(path(), "truncated in the header of 1,024 bytes");
  file_->read(0, std::as_writable_bytes(std::span(header)));
  const auto* const kind = std::ranges::find_if(
      kLlmcKinds, [&](const LlmcKind& each) { return header[0] == each.magic && header[1] == each.version; });
  if (kind == kLlmcKinds.end())
    throw_bad_file(path(), "the file begins with the numbers " + std::to_string(header[0]) + " and " +
                               std::to_string(header[1]) +
                               ", which no known format of llm.c has; format=raw reads a file without header");
  bytes_ = kind->bytes;
  size_ = header[2];
  begin_ = kLlmcHeader;
  const std::uint64_t expected = begin_ + static_cast<std::uint64_t>(size_) * bytes_;
  if (file_->size() != expected)
    throw_bad_file(path(), "the header declares " + std::to_string(size_) + " tokens, so the file must have " +
                               std::to_string(expected) + " bytes, but it has " + std::to_string(file_->size()));
}

void TokenFile::open_npy() {
  const NpyFile npy(file_);
  const NumberArray& array = npy.array();
  if (array.shape.size() != 1 || array.kind != 'u' || (array.item_size != 2 && array.item_size != 4))
    throw_bad_file(path(), "tokens must be an array of one dimension of u2 or u4, but this is one of " +
                               std::string(1, array.kind) + std::to_string(array.item_size) + " with the shape " +
                               array.shape_text());
  begin_ = npy.offset_of(0);
  bytes_ = static_cast<std::size_t>(array.item_size);
  size_ = array.shape.front();
  big_endian_ = npy.is_big_endian();
}

std::int64_t TokenFile::usual_vocabulary() const { return bytes_ == 4 ? 128'256 : 50'257; }

void TokenFile::read(std::int64_t first, std::span<std::uint32_t> tokens, std::int64_t vocabulary) const {
  std::vector<std::byte> bytes(tokens.size() * bytes_);
  const std::uint64_t offset = begin_ + static_cast<std::uint64_t>(first) * bytes_;
  file_->read(offset, bytes);
  file_->check_unchanged();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::uint32_t token = 0;
    for (std::size_t k = 0; k < bytes_; ++k) {
      const std::size_t place = big_endian_ ? k : bytes_ - 1 - k;
      token = token << 8U | static_cast<std::uint32_t>(bytes[i * bytes_ + place]);
    }
    if (token >= vocabulary)
      throw Error(ErrorCode::bad_data,
                  "token " + std::to_string(token) + " at byte " + std::to_string(offset + i * bytes_) +
                      " is not in the vocabulary of " + std::to_string(vocabulary) + " tokens",
                  {.object = path()});
    tokens[i] = token;
  }
}

}  // namespace troupe
