#include "runtime/net/aead.hpp"

#include <algorithm>

#include "runtime/net/openssl.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

const unsigned char* bytes_of(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

class OpensslAead : public Aead {
 public:
  explicit OpensslAead(const AeadKey& key) : cipher_(EVP_CIPHER_CTX_new()) {
    check(cipher_ && EVP_CipherInit_ex(cipher_.get(), EVP_aes_128_gcm(), nullptr, bytes_of(key), nullptr, 1) == 1);
  }

  void seal(const AeadNonce& nonce, std::span<const std::byte> header, std::span<const std::byte> content,
            std::byte last, std::byte* sealed) override {
    start(nonce, header, true);
    update(content, sealed);
    update({&last, 1}, sealed + content.size());
    int none = 0;
    std::byte* const tag = sealed + content.size() + 1;
    check(EVP_CipherFinal_ex(cipher_.get(), reinterpret_cast<unsigned char*>(tag), &none) == 1 &&
          EVP_CIPHER_CTX_ctrl(cipher_.get(), EVP_CTRL_AEAD_GET_TAG, kAeadTagBytes, tag) == 1);
  }

  std::optional<std::byte> open(const AeadNonce& nonce, std::span<const std::byte> header,
                                std::span<const std::byte> sealed, std::byte* content) override {
    const auto encrypted = sealed.first(sealed.size() - kAeadTagBytes);
    AeadTag tag;
    std::copy_n(sealed.last(kAeadTagBytes).begin(), kAeadTagBytes, tag.begin());
    std::byte last{};
    start(nonce, header, false);
    update(encrypted.first(encrypted.size() - 1), content);
    update(encrypted.last(1), &last);
    check(EVP_CIPHER_CTX_ctrl(cipher_.get(), EVP_CTRL_AEAD_SET_TAG, kAeadTagBytes, tag.data()) == 1);
    int none = 0;
    unsigned char nothing = 0;
    if (EVP_CipherFinal_ex(cipher_.get(), &nothing, &none) != 1) return std::nullopt;
    return last;
  }

 private:
  using AeadTag = std::array<std::byte, kAeadTagBytes>;

  static void check(bool done) {
    if (!done) throw Error(ErrorCode::system, "cannot encrypt: " + openssl_error());
  }
  void start(const AeadNonce& nonce, std::span<const std::byte> header, bool seal) {
    int none = 0;
    check(EVP_CipherInit_ex(cipher_.get(), nullptr, nullptr, nullptr, bytes_of(nonce), seal ? 1 : 0) == 1 &&
          EVP_CipherUpdate(cipher_.get(), nullptr, &none, bytes_of(header), static_cast<int>(header.size())) == 1);
  }
  void update(std::span<const std::byte> in, std::byte* out) {
    int done = 0;
    check(in.empty() || EVP_CipherUpdate(cipher_.get(), reinterpret_cast<unsigned char*>(out), &done, bytes_of(in),
                                         static_cast<int>(in.size())) == 1);
  }

  std::unique_ptr<EVP_CIPHER_CTX, Free<&EVP_CIPHER_CTX_free>> cipher_;
};

}  // namespace

std::unique_ptr<Aead> make_openssl_aead(const AeadKey& key) { return std::make_unique<OpensslAead>(key); }

std::unique_ptr<Aead> make_aead(const AeadKey& key) {
  std::unique_ptr<Aead> fast = make_ipsec_mb_aead(key);
  return fast ? std::move(fast) : make_openssl_aead(key);
}

}  // namespace troupe::net
