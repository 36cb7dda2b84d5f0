#include "collectives/state/state_copy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "runtime/store/checked_part.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::uint64_t kMark = 0x31'79'70'6f'43'65'70'54;  // "TpeCopy1"

/// Returns the number of floats of a copy, after the header.
std::size_t floats_of(const CopyContents& contents) {
  const auto others = static_cast<std::size_t>(contents.vectors - 1);
  return contents.size + others * (contents.own.size() + contents.kept.size());
}

/// Returns the size of the memory file in bytes: one page for the header, and whole pages for the floats.
std::size_t bytes_of(const CopyContents& contents) {
  return kPageBytes + (floats_of(contents) * sizeof(float) + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace

/// The first page of the memory file.
struct StateCopy::Header {
  std::atomic<std::uint64_t> mark{0};  ///< kMark if the copy is complete. Atomic, because the process may be killed at
                                       ///< any instruction, and the next process reads the file
  CopyContents contents;
};

StateCopy::StateCopy(FileDescriptor file) : file_(std::move(file)) {
  static_assert(sizeof(Header) <= kPageBytes && std::atomic<std::uint64_t>::is_always_lock_free);
  struct stat state {};
  if (::fstat(file_.get(), &state) != 0) throw_errno("a memory file for a copy of the state");
  const auto bytes = static_cast<std::size_t>(state.st_size);
  if (bytes < kPageBytes) return;
  mapping_ = std::make_shared<Mapping>(file_.get(), 0, bytes, Access::write);
  if (header().mark != kMark || bytes_of(header().contents) != bytes) clear();
}

std::optional<CopyContents> StateCopy::contents() const {
  if (!mapping_ || header().mark != kMark) return std::nullopt;
  return header().contents;
}

void StateCopy::begin(const CopyContents& contents) {
  if (mapping_) header().mark = 0;
  const std::size_t bytes = bytes_of(contents);
  if (!mapping_ || mapping_->bytes() != bytes) {
    clear();
    fill_memory_file(file_.get(), bytes);
    mapping_ = std::make_shared<Mapping>(file_.get(), 0, bytes, Access::write);
  }
  header().contents = contents;
}

void StateCopy::complete() { header().mark = kMark; }

void StateCopy::clear() {
  mapping_.reset();
  if (::ftruncate(file_.get(), 0) != 0) throw_errno("a memory file for a copy of the state");
}

StateCopy::Header& StateCopy::header() const {
  if (!mapping_) throw Error(ErrorCode::protocol, "there is no copy of the state");
  return *reinterpret_cast<Header*>(mapping_->writable_floats().data());
}

const CopyContents& StateCopy::shape() const { return header().contents; }

std::span<float> StateCopy::part(std::size_t begin, std::size_t floats) const {
  return checked_part(mapping_->writable_floats(), kPageFloats + begin, floats);
}

std::span<float> StateCopy::weights() const { return part(0, shape().size); }

std::span<float> StateCopy::own(int vector) const {
  const std::size_t floats = shape().own.size();
  return checked_part(all_own(), static_cast<std::size_t>(vector - 1) * floats, floats);
}

std::span<float> StateCopy::kept(int vector) const {
  const std::size_t floats = shape().kept.size();
  return checked_part(all_kept(), static_cast<std::size_t>(vector - 1) * floats, floats);
}

std::span<float> StateCopy::all_own() const {
  const CopyContents& now = shape();
  return part(now.size, static_cast<std::size_t>(now.vectors - 1) * now.own.size());
}

std::span<float> StateCopy::all_kept() const {
  const CopyContents& now = shape();
  const auto others = static_cast<std::size_t>(now.vectors - 1);
  return part(now.size + others * now.own.size(), others * now.kept.size());
}

}  // namespace troupe
