#include "runtime/net/record_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/net/tls_error.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

/// A peer that sends more of them means to keep us busy.
constexpr int kMaxWithoutContent = 32;

/// By a record's header.
std::size_t announced_bytes(const std::byte* header) {
  return kRecordHeaderBytes + std::to_integer<std::size_t>(header[3]) * 256 + std::to_integer<std::size_t>(header[4]);
}

bool is_protected(const std::byte* header) {
  return header[0] == static_cast<std::byte>(ContentType::application_data) && header[1] == std::byte{3} &&
         header[2] == std::byte{3};
}

}  // namespace

RecordReader::RecordReader(const TrafficSecret& secret, std::size_t records)
    : key_(secret), buffer_(records * kMaxRecordBytes) {}

std::span<std::byte> RecordReader::room() {
  if (buffer_.size() - end_ < kMaxRecordBytes && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::span<std::byte> all = std::span(buffer_).subspan(end_);
  if (buffer_.size() > kMaxRecordBytes) return all;
  const std::size_t there = end_ - begin_;
  const std::size_t wanted = there < kRecordHeaderBytes ? kRecordHeaderBytes : announced_bytes(buffer_.data() + begin_);
  return all.first(std::min(all.size(), wanted - std::min(wanted, there)));
}

std::size_t RecordReader::record_bytes() {
  if (end_ - begin_ < kRecordHeaderBytes) return 0;
  const std::byte* const header = buffer_.data() + begin_;
  if (!is_protected(header)) fail(Alert::unexpected_message, "it sends something else than TLS records");
  const std::size_t bytes = announced_bytes(header);
  if (bytes > kMaxRecordBytes) fail(Alert::record_overflow, "it sends a TLS record of too many bytes");
  if (bytes < kRecordOverhead) fail(Alert::decode_error, "it sends a TLS record of too few bytes");
  return bytes <= end_ - begin_ ? bytes : 0;
}

bool RecordReader::pending() const {
  if (taken_ < leftover_.size()) return true;
  const std::size_t there = end_ - begin_;
  if (closed_ || there < kRecordHeaderBytes) return false;
  const std::byte* const header = buffer_.data() + begin_;
  const std::size_t bytes = announced_bytes(header);
  // What `read` refuses by its header will not be waited for.
  const bool refused = !is_protected(header) || bytes > kMaxRecordBytes || bytes < kRecordOverhead;
  return refused || there >= bytes;
}

bool RecordReader::must_renew_key() { return std::exchange(must_renew_key_, false); }

std::size_t RecordReader::read(std::span<std::byte> into) {
  std::size_t done = take_leftover(into);
  while (done < into.size() && !closed_) {
    const std::size_t bytes = record_bytes();
    if (bytes == 0) break;
    done += open_next(bytes, into.subspan(done));
  }
  return done;
}

std::size_t RecordReader::take_leftover(std::span<std::byte> into) {
  const std::size_t bytes = std::min(into.size(), leftover_.size() - taken_);
  if (bytes == 0) return 0;
  std::memcpy(into.data(), leftover_.data() + taken_, bytes);
  taken_ += bytes;
  return bytes;
}

std::size_t RecordReader::open_next(std::size_t record_bytes, std::span<std::byte> into) {
  const auto record = std::span<const std::byte>(buffer_).subspan(begin_, record_bytes);
  const std::size_t most = record_bytes - kRecordOverhead;
  const bool fits = most <= into.size();
  if (!fits) leftover_.resize(most);
  std::byte* const content = fits ? into.data() : leftover_.data();
  taken_ = leftover_.size();  // nothing of it counts yet
  const auto opened = key_.open(record, content);
  if (!opened) fail(Alert::bad_record_mac, "a TLS record of it was changed on the way");
  if (opened->bytes > kMaxRecordContent) fail(Alert::record_overflow, "it sends a TLS record of too many bytes");
  begin_ += record_bytes;
  if (begin_ == end_) begin_ = end_ = 0;
  const bool data = opened->type == static_cast<std::uint8_t>(ContentType::application_data);
  if (data && opened->bytes > 0) {
    without_content_ = 0;
    if (fits) return opened->bytes;
    leftover_.resize(opened->bytes);
    taken_ = 0;
    return take_leftover(into);
  }
  if (++without_content_ > kMaxWithoutContent) fail(Alert::unexpected_message, "it sends TLS records without content");
  if (!data) take_message(opened->type, {content, opened->bytes});
  return 0;
}

void RecordReader::take_message(std::uint8_t type, std::span<const std::byte> content) {
  if (type == static_cast<std::uint8_t>(ContentType::alert) && content.size() == 2) {
    const auto code = std::to_integer<int>(content[1]);
    closed_ = code == static_cast<int>(Alert::close_notify);
    if (closed_) return;
    throw Error(ErrorCode::protocol, alert_text(code));
  }
  const bool renewed = type == static_cast<std::uint8_t>(ContentType::handshake) &&
                       content.size() == kKeyUpdate.size() &&
                       std::equal(content.begin(), content.end() - 1, kKeyUpdate.begin());
  if (!renewed) fail(Alert::unexpected_message, "it sends a message of TLS that does not belong here");
  // RFC 8446, 4.6.3, asks for this very alert.
  if (content.back() > std::byte{1}) fail(Alert::illegal_parameter, "it asks for a new key in no way that TLS knows");
  key_.renew();
  if (content.back() == std::byte{1}) must_renew_key_ = true;
}

void RecordReader::fail(Alert alert, const std::string& why) {
  alert_ = alert;
  throw Error(ErrorCode::protocol, why);
}

}  // namespace troupe::net
