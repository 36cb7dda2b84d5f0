#include "runtime/net/aead.hpp"

#ifdef TROUPE_WITH_IPSEC_MB

#include <intel-ipsec-mb.h>
#include <openssl/crypto.h>

#include <cstdint>

namespace troupe::net {
namespace {

/// The library's functions for this processor; null unless it has wide AES instructions. Its jobs, which are for one
/// thread at a time, are not used.
const IMB_MGR* wide_aes() {
  static const IMB_MGR* const manager = []() -> const IMB_MGR* {
    IMB_MGR* const made = alloc_mb_mgr(0);  // never freed: streams may outlive statics
    if (made == nullptr) return nullptr;
    IMB_ARCH arch = IMB_ARCH_NONE;
    init_mb_mgr_auto(made, &arch);
    return arch == IMB_ARCH_AVX512 && (made->features & IMB_FEATURE_VAES) != 0 ? made : nullptr;
  }();
  return manager;
}

class IpsecMbAead : public Aead {
 public:
  explicit IpsecMbAead(const AeadKey& key) { IMB_AES128_GCM_PRE(wide_aes(), key.data(), &key_); }
  ~IpsecMbAead() override { OPENSSL_cleanse(&key_, sizeof key_); }

  void seal(const AeadNonce& nonce, std::span<const std::byte> header, std::span<const std::byte> content,
            std::byte last, std::byte* sealed) override {
    const IMB_MGR* const with = wide_aes();
    auto* const out = reinterpret_cast<std::uint8_t*>(sealed);
    gcm_context_data record;
    IMB_AES128_GCM_INIT(with, &key_, &record, bytes_of(nonce), bytes_of(header), header.size());
    IMB_AES128_GCM_ENC_UPDATE(with, &key_, &record, out, bytes_of(content), content.size());
    IMB_AES128_GCM_ENC_UPDATE(with, &key_, &record, out + content.size(), bytes_of({&last, 1}), 1);
    IMB_AES128_GCM_ENC_FINALIZE(with, &key_, &record, out + content.size() + 1, kAeadTagBytes);
  }

  std::optional<std::byte> open(const AeadNonce& nonce, std::span<const std::byte> header,
                                std::span<const std::byte> sealed, std::byte* content) override {
    const IMB_MGR* const with = wide_aes();
    const std::size_t bytes = sealed.size() - 1 - kAeadTagBytes;
    std::uint8_t last = 0;
    std::uint8_t tag[kAeadTagBytes];
    gcm_context_data record;
    IMB_AES128_GCM_INIT(with, &key_, &record, bytes_of(nonce), bytes_of(header), header.size());
    IMB_AES128_GCM_DEC_UPDATE(with, &key_, &record, reinterpret_cast<std::uint8_t*>(content), bytes_of(sealed), bytes);
    IMB_AES128_GCM_DEC_UPDATE(with, &key_, &record, &last, bytes_of(sealed) + bytes, 1);
    IMB_AES128_GCM_DEC_FINALIZE(with, &key_, &record, tag, kAeadTagBytes);
    if (CRYPTO_memcmp(tag, sealed.last(kAeadTagBytes).data(), kAeadTagBytes) != 0) return std::nullopt;
    return static_cast<std::byte>(last);
  }

 private:
  static const std::uint8_t* bytes_of(std::span<const std::byte> bytes) {
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
  }

  alignas(64) gcm_key_data key_;  // what the library expects and its header does not say
};

}  // namespace

std::unique_ptr<Aead> make_ipsec_mb_aead(const AeadKey& key) {
  return wide_aes() != nullptr ? std::make_unique<IpsecMbAead>(key) : nullptr;
}

}  // namespace troupe::net

#else

namespace troupe::net {

std::unique_ptr<Aead> make_ipsec_mb_aead(const AeadKey& /*key*/) { return nullptr; }

}  // namespace troupe::net

#endif
