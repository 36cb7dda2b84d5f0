#include "runtime/net/certificates/private_key.hpp"

#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <span>

#include "runtime/file_descriptor.hpp"
#include "runtime/net/certificates/certificate_files.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

using Bytes = std::span<const unsigned char>;
using NumberPtr = std::unique_ptr<BIGNUM, Free<&BN_clear_free>>;
using BuilderPtr = std::unique_ptr<OSSL_PARAM_BLD, Free<&OSSL_PARAM_BLD_free>>;
using ParametersPtr = std::unique_ptr<OSSL_PARAM, Free<&OSSL_PARAM_free>>;
using KeyContextPtr = std::unique_ptr<EVP_PKEY_CTX, Free<&EVP_PKEY_CTX_free>>;

/// The size of OpenSSL's secure memory, in bytes. It is enough for several thousand private keys. Code of the user that
/// needs secure memory uses the same 1 MiB.
constexpr std::size_t kSecureBytes = std::size_t{1} << 20;
constexpr std::size_t kLeastBlock = 32;
constexpr std::size_t kLargestFile = 16 * 1024;
constexpr std::size_t kLargestPoint = 133;  ///< bytes of a public key of NIST's P-521, the largest curve

bool make_secure_memory() {
  if (CRYPTO_secure_malloc_initialized() == 1) return true;
  // The result 0 is an error. The results 1 and 2 are both accepted: with both, core dumps do not contain the memory;
  // with 2, the system may write the memory to swap space.
  if (CRYPTO_secure_malloc_init(kSecureBytes, kLeastBlock) == 0)
    throw Error(ErrorCode::system, "cannot allocate secure memory for keys: " + openssl_error());
  return true;
}

/// Memory that core dumps do not contain and that is cleared when freed.
class SecureBytes {
 public:
  explicit SecureBytes(std::size_t size) : SecureBytes(OPENSSL_secure_malloc(size), size) {
    if (data_ == nullptr) throw Error(ErrorCode::system, "the secure memory for keys is full");
  }
  SecureBytes(void* data, std::size_t size) : data_(static_cast<unsigned char*>(data)), size_(size) {}
  ~SecureBytes() { OPENSSL_secure_clear_free(data_, size_); }
  SecureBytes(const SecureBytes&) = delete;
  SecureBytes& operator=(const SecureBytes&) = delete;

  unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  unsigned char* data_;
  std::size_t size_;
};

void check_owner_only(int fd, const std::string& file) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) refuse_missing(file);
  if (!S_ISREG(status.st_mode)) refuse(file, "is not a regular file", "put the key there");
  if ((status.st_mode & 077) != 0)
    refuse(file, "is readable by others", "run `chmod 600 " + file + "`; make a new one if others may have read it");
}

/// Reads the file into `into`, and returns the number of bytes. If the file is larger than `into`, reads only as many
/// bytes as fit. The caller refuses such a file later, because it is too long for a key.
std::size_t read_into(const SecureBytes& into, const std::string& file) {
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened) check_owner_only(opened.get(), file);
  for (std::size_t size = 0;;) {
    const ssize_t got = ::read(opened.get(), into.data() + size, into.size() - size);
    if (got == 0) return size;
    if (got > 0) size += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) refuse_missing(file);
  }
}

/// Removes the first ASN.1 element from `from`, and returns the content of the element. Returns none if the element
/// does not have the type `tag`.
std::optional<Bytes> take(Bytes& from, int tag) {
  const unsigned char* at = from.data();
  long length = 0;
  int found = 0;
  int family = 0;
  if (from.empty()) return std::nullopt;
  const int flags = ASN1_get_object(&at, &length, &found, &family, static_cast<long>(from.size()));
  if (flags != 0 && flags != V_ASN1_CONSTRUCTED) return std::nullopt;  // an error, or an indefinite length
  if (found != tag || family != V_ASN1_UNIVERSAL) return std::nullopt;
  const Bytes content(at, static_cast<std::size_t>(length));
  from = from.subspan(static_cast<std::size_t>(at - from.data()) + content.size());
  return content;
}

/// Returns the secret number in `text`, the DER encoding of a private key; none if the encoding is invalid.
/// @param wrapped true: the encoding is that of RFC 5208; false: that of RFC 5915
std::optional<Bytes> secret_of(Bytes text, bool wrapped) {
  std::optional<Bytes> key = take(text, V_ASN1_SEQUENCE);
  if (key && wrapped) {
    const bool introduced = take(*key, V_ASN1_INTEGER) && take(*key, V_ASN1_SEQUENCE);
    std::optional<Bytes> content = introduced ? take(*key, V_ASN1_OCTET_STRING) : std::nullopt;
    key = content ? take(*content, V_ASN1_SEQUENCE) : std::nullopt;
  }
  return key && take(*key, V_ASN1_INTEGER) ? take(*key, V_ASN1_OCTET_STRING) : std::nullopt;
}

/// Returns the secret number of the elliptic-curve key in the first `size` bytes of `text`, the content of a PEM file.
/// Returns null if there is no such key. Does not use OpenSSL's decoders, because these leave copies of the key in
/// ordinary memory.
NumberPtr read_secret(const SecureBytes& text, std::size_t size) {
  const BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(size)));
  unsigned char* data = nullptr;
  long length = 0;
  char* name = nullptr;
  const auto no_password = [](char*, int, int, void*) { return -1; };
  if (PEM_bytes_read_bio_secmem(&data, &length, &name, PEM_STRING_EVP_PKEY, bio.get(), no_password, nullptr) != 1)
    return nullptr;
  const SecureBytes key(data, static_cast<std::size_t>(length));
  const std::string form = name;
  OPENSSL_secure_free(name);
  if (form != PEM_STRING_PKCS8INF && form != PEM_STRING_ECPRIVATEKEY) return nullptr;
  const auto secret = secret_of({key.data(), key.size()}, form == PEM_STRING_PKCS8INF);
  NumberPtr number(BN_secure_new());
  if (!secret || secret->size() > kLargestPoint || !number) return nullptr;
  if (BN_bin2bn(secret->data(), static_cast<int>(secret->size()), number.get()) == nullptr) return nullptr;
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  return number;
}

/// Returns the key pair that consists of the private key `secret` and the certificate's public key. Returns none if the
/// public key is not an elliptic-curve key.
KeyPtr join(X509* certificate, const BIGNUM* secret) {
  EVP_PKEY* const known = X509_get0_pubkey(certificate);
  std::array<unsigned char, kLargestPoint> point{};
  std::array<char, 64> group{};
  std::size_t size = 0;
  if (known == nullptr || EVP_PKEY_get_group_name(known, group.data(), group.size(), &size) != 1 ||
      EVP_PKEY_get_octet_string_param(known, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size(), &size) != 1)
    return nullptr;
  const BuilderPtr builder(OSSL_PARAM_BLD_new());
  const bool said = builder &&
                    OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, group.data(), 0) == 1 &&
                    OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), size) == 1 &&
                    OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, secret) == 1;
  const ParametersPtr parameters(said ? OSSL_PARAM_BLD_to_param(builder.get()) : nullptr);
  const KeyContextPtr context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_KEYPAIR, parameters.get()) != 1)
    return nullptr;
  return KeyPtr(key);
}

bool is_pair(EVP_PKEY* key) {
  const KeyContextPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
  return context && EVP_PKEY_pairwise_check(context.get()) == 1;
}

}  // namespace

KeyPtr read_key(const std::string& file, X509* certificate) {
  [[maybe_unused]] static const bool ready = make_secure_memory();
  const SecureBytes text(kLargestFile);
  const NumberPtr secret = read_secret(text, read_into(text, file));
  ERR_clear_error();
  if (!secret) refuse(file, "is not an elliptic-curve private key in PEM format without a password", kMakeAnew);
  KeyPtr key = join(certificate, secret.get());
  if (key && !is_pair(key.get())) key = nullptr;
  ERR_clear_error();
  return key;
}

}  // namespace troupe::net
