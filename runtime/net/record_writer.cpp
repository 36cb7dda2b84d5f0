#include "runtime/net/record_writer.hpp"

#include <algorithm>

namespace troupe::net {
namespace {

/// For a few small records before the full ones, such as a header, an update of the key and an alert.
constexpr std::size_t kSpare = 1024;
constexpr std::size_t kAlert = 2 + kRecordOverhead;
constexpr std::size_t kUpdate = kKeyUpdate.size() + kRecordOverhead;

}  // namespace

RecordWriter::RecordWriter(const TrafficSecret& secret, std::size_t records, std::uint64_t records_per_key)
    : key_(secret), records_per_key_(records_per_key) {
  enlarge(records);
}

void RecordWriter::enlarge(std::size_t records) {
  buffer_.resize(records * (kMaxRecordContent + kRecordOverhead) + kSpare);
}

std::size_t RecordWriter::write(std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size() && buffer_.size() - end_ > kUpdate + kRecordOverhead + kAlert) {
    if (renew_ || key_.records() >= records_per_key_) {
      seal(ContentType::handshake, kKeyUpdate);
      key_.renew();
      renew_ = false;
    }
    const std::size_t room = buffer_.size() - end_ - kRecordOverhead - kAlert;
    const std::size_t content = std::min({bytes.size() - done, kMaxRecordContent, room});
    seal(ContentType::application_data, bytes.subspan(done, content));
    done += content;
  }
  return done;
}

void RecordWriter::alert(Alert alert) {
  constexpr std::byte kWarning{1};
  constexpr std::byte kFatal{2};
  const std::array<std::byte, 2> message = {alert == Alert::close_notify ? kWarning : kFatal,
                                            static_cast<std::byte>(alert)};
  seal(ContentType::alert, message);
}

void RecordWriter::seal(ContentType type, std::span<const std::byte> content) {
  key_.seal(type, content, buffer_.data() + end_);
  end_ += content.size() + kRecordOverhead;
}

void RecordWriter::sent(std::size_t bytes) {
  begin_ += bytes;
  if (begin_ == end_) begin_ = end_ = 0;
}

}  // namespace troupe::net
