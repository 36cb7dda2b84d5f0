#include "runtime/http/gap_reader.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

/// The number of bytes of a short request, which contains one header, and of a long one, which also contains gaps.
constexpr std::uint64_t kShort = 4096;
constexpr std::uint64_t kLong = std::uint64_t{4} << 20;

/// The bytes per second that a connection is assumed to transfer: those of 1 Gbit/s, divided by 8 connections.
constexpr double kRate = 16e6;

/// A longer gap is not transferred, however long a request takes.
constexpr double kLongestGap = 1e6;

/// The weight of the latest gap in the mean.
constexpr double kLatest = 0.125;

}  // namespace

bool GapReader::holds(std::uint64_t offset, std::size_t count) const {
  return offset >= state_.offset && offset - state_.offset <= state_.bytes.size() &&
         count <= state_.bytes.size() - (offset - state_.offset);
}

void GapReader::note_gap(std::uint64_t offset) const {
  if (offset <= state_.end + kShort) return;  // the same place
  const auto gap = static_cast<double>(offset - state_.end);
  state_.gap = state_.gap == 0 ? gap : (1 - kLatest) * state_.gap + kLatest * gap;
}

void GapReader::transfer(std::uint64_t offset, std::size_t count) const {
  const bool reads_gaps =
      state_.request != Clock::duration::max() &&
      state_.gap < std::min(kLongestGap, kRate * std::chrono::duration<double>(state_.request).count());
  const std::uint64_t most = std::max<std::uint64_t>(count, reads_gaps ? kLong : kShort);
  state_.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most, size() - offset)));
  state_.offset = offset;
  const auto begin = Clock::now();
  try {
    from_->read(offset, state_.bytes);
  } catch (...) {
    state_.bytes.clear();
    throw;
  }
  if (!reads_gaps) state_.request = std::min(state_.request, Clock::now() - begin);
}

void GapReader::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size() || out.size() > size() - offset) throw_bad_file(path(), "truncated");
  const std::lock_guard lock(mutex_);
  note_gap(offset);
  if (!holds(offset, out.size())) transfer(offset, out.size());
  std::ranges::copy(std::span(state_.bytes).subspan(offset - state_.offset, out.size()), out.begin());
  state_.end = std::max(state_.end, offset + out.size());
}

}  // namespace troupe
