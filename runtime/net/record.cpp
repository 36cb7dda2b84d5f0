#include "runtime/net/record.hpp"

#include <openssl/crypto.h>

namespace troupe::net {
namespace {

std::unique_ptr<Aead> aead_of(const TrafficSecret& secret) {
  AeadKey key = secret.key();
  std::unique_ptr<Aead> aead = make_aead(key);
  OPENSSL_cleanse(key.data(), key.size());
  return aead;
}

}  // namespace

RecordKey::RecordKey(const TrafficSecret& secret) : secret_(secret), aead_(aead_of(secret)), iv_(secret.iv()) {}

void RecordKey::renew() {
  secret_ = secret_.next();
  aead_ = aead_of(secret_);
  iv_ = secret_.iv();
  records_ = 0;
}

AeadNonce RecordKey::next_nonce() {
  AeadNonce nonce = iv_;
  const std::uint64_t number = records_++;
  for (std::size_t i = 0; i < sizeof number; ++i)
    nonce[kAeadNonceBytes - 1 - i] ^= static_cast<std::byte>((number >> (8 * i)) & 0xff);
  return nonce;
}

void RecordKey::seal(ContentType type, std::span<const std::byte> content, std::byte* record) {
  const std::size_t sealed = content.size() + kRecordOverhead - kRecordHeaderBytes;
  record[0] = static_cast<std::byte>(ContentType::application_data);  // whatever it is
  record[1] = record[2] = std::byte{3};
  record[3] = static_cast<std::byte>(sealed >> 8);
  record[4] = static_cast<std::byte>(sealed & 0xff);
  aead_->seal(next_nonce(), {record, kRecordHeaderBytes}, content, static_cast<std::byte>(type),
              record + kRecordHeaderBytes);
}

std::optional<RecordKey::Opened> RecordKey::open(std::span<const std::byte> record, std::byte* content) {
  const auto type =
      aead_->open(next_nonce(), record.first(kRecordHeaderBytes), record.subspan(kRecordHeaderBytes), content);
  if (!type) return std::nullopt;
  Opened opened{std::to_integer<std::uint8_t>(*type), record.size() - kRecordOverhead};
  // Padding is zeros behind the type.
  while (opened.type == 0 && opened.bytes > 0) opened.type = std::to_integer<std::uint8_t>(content[--opened.bytes]);
  return opened;
}

}  // namespace troupe::net
