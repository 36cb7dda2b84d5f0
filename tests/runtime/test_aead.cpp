#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>

#include "record_trial.hpp"

using namespace troupe;
using namespace troupe::net;

namespace {

using Make = std::function<std::unique_ptr<Aead>(const AeadKey&)>;

/// What this machine has.
std::vector<Make> implementations() {
  std::vector<Make> all{&make_openssl_aead, &make_aead};
  if (make_ipsec_mb_aead(AeadKey{}))
    all.emplace_back(&make_ipsec_mb_aead);
  else
    MESSAGE("no wide AES instructions here, or no Intel Multi-Buffer Crypto: only OpenSSL's AES-GCM is tested");
  return all;
}

template <std::size_t kBytes>
std::array<std::byte, kBytes> random_array(std::mt19937& random) {
  std::array<std::byte, kBytes> bytes;
  std::ranges::copy(random_bytes(random, kBytes), bytes.begin());
  return bytes;
}

constexpr std::size_t kMore = 1 + kAeadTagBytes;  // than the content
constexpr std::byte kUntouched{0xa5};

/// With a byte behind it that nobody may write.
Bytes sealed_by(Aead& aead, const AeadNonce& nonce, const Bytes& header, const Bytes& content, std::byte last) {
  Bytes sealed(content.size() + kMore + 1, kUntouched);
  aead.seal(nonce, header, content, last, sealed.data());
  CHECK(sealed.back() == kUntouched);
  sealed.pop_back();
  return sealed;
}

void check_opens(Aead& aead, const AeadNonce& nonce, const Bytes& header, const Bytes& sealed, const Bytes& content,
                 std::byte last) {
  Bytes opened(content.size() + 1, kUntouched);
  const auto got = aead.open(nonce, header, sealed, opened.data());
  CHECK(got == last);
  CHECK(opened.back() == kUntouched);
  opened.pop_back();
  CHECK(opened == content);
}

/// Lengths around the blocks of the cipher first, then any.
std::size_t trial_length(std::mt19937& random, std::size_t number) {
  return number < 300 ? number : random_below(random, 17'001);
}

}  // namespace

// Test case 4 of the paper that proposed GCM, by McGrew and Viega.
TEST_CASE("AES-128-GCM of a published example") {
  const auto key = array_from_hex<kAeadKeyBytes>("feffe9928665731c6d6a8f9467308308");
  const auto nonce = array_from_hex<kAeadNonceBytes>("cafebabefacedbaddecaf888");
  const Bytes header = from_hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  Bytes content = from_hex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
      "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
  const Bytes expected = from_hex(
      "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
      "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
      "5bc94fbc3221a5db94fae95ae7121a47");
  const std::byte last = content.back();
  content.pop_back();
  for (const Make& make : implementations()) {
    const auto aead = make(key);
    CHECK(sealed_by(*aead, nonce, header, content, last) == expected);
    check_opens(*aead, nonce, header, expected, content, last);
  }
}

TEST_CASE("all implementations of AES-GCM write the same, and read what the others write") {
  const auto makes = implementations();
  std::mt19937 random(1);
  for (std::size_t number = 0; number < 600; ++number) {
    const Bytes content = random_bytes(random, trial_length(random, number));
    CAPTURE(content.size());
    const auto key = random_array<kAeadKeyBytes>(random);
    const auto nonce = random_array<kAeadNonceBytes>(random);
    const Bytes header = random_bytes(random, number % 3 == 0 ? random_below(random, 64) : kRecordHeaderBytes);
    const auto last = static_cast<std::byte>(random() & 0xff);
    const Bytes first = sealed_by(*makes.front()(key), nonce, header, content, last);
    for (const Make& make : makes) {
      const auto aead = make(key);
      CHECK(sealed_by(*aead, nonce, header, content, last) == first);
      check_opens(*aead, nonce, header, first, content, last);
    }
  }
}

TEST_CASE("an AEAD opens nothing in which a bit was changed, and goes on with what was not") {
  std::mt19937 random(2);
  const auto key = random_array<kAeadKeyBytes>(random);
  const auto nonce = random_array<kAeadNonceBytes>(random);
  const Bytes header = random_bytes(random, kRecordHeaderBytes);
  const std::byte last{23};
  for (const Make& make : implementations()) {
    const auto aead = make(key);
    for (const std::size_t size : {0, 1, 15, 16, 200}) {
      const Bytes content = random_bytes(random, size);
      const Bytes sealed = sealed_by(*aead, nonce, header, content, last);
      Bytes opened(size + 1);
      const auto opens = [&](const AeadNonce& with, const Bytes& behind, const Bytes& what) {
        return aead->open(with, behind, what, opened.data()).has_value();
      };
      for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
        CAPTURE(bit);
        const std::byte flip = std::byte{1} << (bit % 8);
        Bytes bad = sealed;
        bad[bit / 8] ^= flip;
        CHECK_FALSE(opens(nonce, header, bad));
        Bytes bad_header = header;
        bad_header[bit / 8 % header.size()] ^= flip;
        CHECK_FALSE(opens(nonce, bad_header, sealed));
        AeadNonce bad_nonce = nonce;
        bad_nonce[bit / 8 % nonce.size()] ^= flip;
        CHECK_FALSE(opens(bad_nonce, header, sealed));
      }
      check_opens(*aead, nonce, header, sealed, content, last);
    }
  }
}

// RFC 8448, section 3: a connection with all its secrets.
namespace {

TrafficSecret secret_from_hex(std::string_view text) {
  return TrafficSecret(array_from_hex<TrafficSecret::kBytes>(text));
}

TrafficSecret client_of_trace() {
  return secret_from_hex("9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5");
}
TrafficSecret server_of_trace() {
  return secret_from_hex("a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643");
}

constexpr const char* kClientData =
    "17 03 03 00 43 a2 3f 70 54 b6 2c 94 d0 af fa fe 82 28 ba 55 cb ef ac ea 42 f9 14 aa 66 bc ab 3f 2b 98 19 a8 a5 b4 "
    "6b 39 5b d5 4a 9a 20 44 1e 2b 62 97 4e 1f 5a 62 92 a2 97 70 14 bd 1e 3d ea e6 3a ee bb 21 69 49 15 e4";
constexpr const char* kServerData =
    "17 03 03 00 43 2e 93 7e 11 ef 4a c7 40 e5 38 ad 36 00 5f c4 a4 69 32 fc 32 25 d0 5f 82 aa 1b 36 e3 0e fa f9 7d 90 "
    "e6 df fc 60 2d cb 50 1a 59 a8 fc c4 9c 4b f2 e5 f0 a2 1c 00 47 c2 ab f3 32 54 0d d0 32 e1 67 c2 95 5d";
constexpr const char* kClientAlert = "17 03 03 00 13 c9 87 27 60 65 56 66 b7 4d 7f f1 15 3e fd 6d b6 d0 b0 e3";
constexpr const char* kServerAlert = "17 03 03 00 13 b5 8f d6 71 66 eb f5 99 d2 47 20 cf be 7e fa 7a 88 64 a9";

Bytes sealed_by(RecordKey& key, ContentType type, const Bytes& content) {
  Bytes record(content.size() + kRecordOverhead);
  key.seal(type, content, record.data());
  return record;
}

void check_opens(RecordKey& key, const char* record, ContentType type, const Bytes& content) {
  const Bytes sealed = from_hex(record);
  Bytes opened(sealed.size() - kRecordOverhead);
  const auto got = key.open(sealed, opened.data());
  REQUIRE(got.has_value());
  CHECK(got->type == static_cast<std::uint8_t>(type));
  REQUIRE(got->bytes == content.size());
  CHECK(opened == content);
}

}  // namespace

TEST_CASE("keys are drawn from secrets as in the trace of RFC 8448") {
  CHECK(client_of_trace().key() == array_from_hex<kAeadKeyBytes>("17422dda596ed5d9acd890e3c63f5051"));
  CHECK(client_of_trace().iv() == array_from_hex<kAeadNonceBytes>("5b78923dee08579033e523d9"));
  CHECK(server_of_trace().key() == array_from_hex<kAeadKeyBytes>("9f02283b6c9c07efc26bb9f2ac92e356"));
  CHECK(server_of_trace().iv() == array_from_hex<kAeadNonceBytes>("cf782b88dd83549aadf1e984"));
}

TEST_CASE("records are sealed and opened as in the trace of RFC 8448") {
  Bytes content;
  for (int i = 0; i < 50; ++i) content.push_back(static_cast<std::byte>(i));
  const Bytes close_notify{std::byte{1}, std::byte{0}};
  RecordKey client(client_of_trace());
  CHECK(sealed_by(client, ContentType::application_data, content) == from_hex(kClientData));
  CHECK(sealed_by(client, ContentType::alert, close_notify) == from_hex(kClientAlert));
  RecordKey server(server_of_trace());
  sealed_by(server, ContentType::handshake, content);  // the first one is a ticket there, and of no interest
  CHECK(sealed_by(server, ContentType::application_data, content) == from_hex(kServerData));
  CHECK(sealed_by(server, ContentType::alert, close_notify) == from_hex(kServerAlert));
  CHECK(server.records() == 3);

  RecordKey from_client(client_of_trace());
  check_opens(from_client, kClientData, ContentType::application_data, content);
  check_opens(from_client, kClientAlert, ContentType::alert, close_notify);
}

TEST_CASE("a renewed key counts its records anew and opens nothing of the one before") {
  RecordKey sender(trial_secret());
  RecordKey receiver(trial_secret());
  const Bytes content(10, std::byte{1});
  Bytes opened(content.size());
  const Bytes before = sealed_by(sender, ContentType::application_data, content);
  sender.renew();
  CHECK(sender.records() == 0);
  const Bytes after = sealed_by(sender, ContentType::application_data, content);
  CHECK(before != after);
  CHECK(receiver.open(before, opened.data()).has_value());
  receiver.renew();
  CHECK(receiver.open(after, opened.data()).has_value());
  // The next of a secret is drawn from it, not from the key.
  CHECK(RecordKey(trial_secret().next()).open(after, opened.data()).has_value());
  CHECK_FALSE(RecordKey(trial_secret().next()).open(before, opened.data()).has_value());
}

TEST_CASE("a key's records are numbered beyond two bytes, and each number is another nonce") {
  constexpr std::size_t kRecords = 70'000;
  RecordKey sender(trial_secret());
  RecordKey receiver(trial_secret());
  const Bytes content(3, std::byte{1});
  Bytes opened(content.size());
  std::set<std::string> all;
  for (std::size_t i = 0; i < kRecords; ++i) {
    const Bytes record = sealed_by(sender, ContentType::application_data, content);
    REQUIRE(receiver.open(record, opened.data()).has_value());
    all.emplace(reinterpret_cast<const char*>(record.data()), record.size());
  }
  CHECK(all.size() == kRecords);
}
