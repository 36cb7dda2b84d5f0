#include "actors/transport/admission/admitted_stream.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

using Progress = TlsStream::Progress;
using Wants = TlsStream::Wants;

constexpr std::size_t kReadAtOnce = 4096;

/// Returns a new id of the same kind as `own`, with random values in place of the process and the host.
wire::NodeId drawn_id(const wire::NodeId& own) {
  constexpr std::size_t kKindBytes = 8;
  wire::NodeId id = own;
  std::random_device random;
  std::generate(id.begin() + kKindBytes, id.end(), [&] { return static_cast<std::byte>(random() | 1); });
  return id;
}

}  // namespace

AdmittedStream::AdmittedStream(TlsStream stream, LinkEnd end, const wire::NodeId& own, const RunLimits& limits)
    : stream_(std::move(stream)),
      admission_(end, own, drawn_id(own), limits),
      from_peer_([this](const wire::Header& header) { admission_.announced(header); },
                 [this](const wire::Header& header, std::span<std::byte> payload) {
                   return admission_.from_peer(header, payload, Clock::now());
                 }),
      to_peer_([](const wire::Header&) {},
               [this](const wire::Header& header, std::span<std::byte> payload) {
                 check_own(header, payload);
                 return true;
               }) {
  stream_.read_ahead();  // safe from now on, because CAF calls `pending`; the gate, which read before, does not
}

void AdmittedStream::check_own(const wire::Header& header, std::span<std::byte> payload) try {
  admission_.to_peer(header, payload);
} catch (const Error& error) {
  throw Error(error.code(), "this process tried to send an invalid frame: " + error.message());
}

Progress AdmittedStream::read_some(std::span<std::byte> into) {
  if (read_ == heard_.size()) {
    heard_.clear();
    read_ = 0;
  }
  std::array<std::byte, kReadAtOnce> bytes;
  while (heard_.empty()) {
    // CAF calls `read_some` until it reports that there is no more data. If the last read has emptied the socket,
    // report this without another system call.
    if (std::exchange(drained_, false)) return {0, Wants::read};
    const Progress progress = stream_.read_some(bytes);
    from_peer_.take(std::span(bytes).first(progress.bytes), heard_);
    if (progress.bytes == 0) return progress;
    drained_ = progress.wants == Wants::read;
  }
  const std::size_t count = std::min(into.size(), heard_.size() - read_);
  std::memcpy(into.data(), heard_.data() + read_, count);
  read_ += count;
  return {count, Wants::nothing};
}

Progress AdmittedStream::write_some(std::span<const std::byte> bytes) {
  if (judged_ == 0) {
    to_peer_.take(bytes, said_);
    judged_ = bytes.size();
  }
  while (sent_ < said_.size()) {
    const Progress progress = stream_.write_some(std::span<const std::byte>(said_).subspan(sent_));
    sent_ += progress.bytes;
    if (sent_ < said_.size() && progress.wants != Wants::nothing) return {0, progress.wants};
  }
  said_.clear();
  sent_ = 0;
  return {std::exchange(judged_, 0), Wants::nothing};
}

}  // namespace troupe
