#include "runtime/net/certificates/certificate_files.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "runtime/file_descriptor.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/net/certificates/private_key.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

namespace fs = std::filesystem;

/// The maximum number of times that a certificate and its key are read, if they do not match. `troupe certs renew` may
/// be replacing them while they are read.
constexpr int kReadings = 10;

int no_password(char*, int, int, void*) { return -1; }

CertificatePtr next_certificate(BIO* bio) {
  return CertificatePtr(PEM_read_bio_X509(bio, nullptr, &no_password, nullptr));
}

void write_bytes(int fd, const std::string& text, const std::string& file) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno(("cannot write " + file).c_str());
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace

void refuse(const std::string& file, const std::string& what, const std::string& advice) {
  throw Error(ErrorCode::bad_certificate, file + " " + what + "; " + advice);
}

void refuse_missing(const std::string& file) {
  refuse(file, "is missing or cannot be read", "make it with `troupe certs`, or copy it from the authority's folder");
}

std::string read_text(const std::string& file) {
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;  // large enough for a long revocation list
  try {
    return InputFile(file).read_text(kLargest);
  } catch (const Error&) {  // the path is a folder or a pipe, or does not exist
    refuse_missing(file);
  }
}

BioPtr bio_of(const std::string& text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

CertificatePtr read_certificate(const std::string& file) {
  const std::string text = read_text(file);
  CertificatePtr certificate = next_certificate(bio_of(text).get());
  ERR_clear_error();
  if (!certificate) refuse(file, "is not a certificate in PEM format", kMakeAnew);
  return certificate;
}

std::vector<CertificatePtr> read_certificates(const std::string& file) {
  const std::string text = read_text(file);
  const BioPtr bio = bio_of(text);
  std::vector<CertificatePtr> certificates;
  while (CertificatePtr next = next_certificate(bio.get())) certificates.push_back(std::move(next));
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!ended) refuse(file, "contains an entry that is not a PEM certificate", "restore it from a backup");
  return certificates;
}

CertifiedKey read_certified_key(const std::string& certificate_file, const std::string& key_file) {
  for (int reading = 1;; ++reading) {
    CertificatePtr certificate = read_certificate(certificate_file);
    KeyPtr key = read_key(key_file, certificate.get());
    if (key) return {std::move(certificate), std::move(key)};
    if (reading == kReadings)
      refuse(key_file, "does not belong to " + certificate_file, "copy both from the same folder");
  }
}

void make_private_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) throw Error(ErrorCode::system, "cannot make the folder " + folder + ": " + error.message());
}

void write_file(const std::string& file, const std::string& text, mode_t mode) {
  const std::string unfinished = file + ".new";
  ::unlink(unfinished.c_str());
  const FileDescriptor made(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!made) throw_errno(("cannot write " + unfinished).c_str());
  try {
    write_bytes(made.get(), text, unfinished);
    if (::fchmod(made.get(), mode) != 0 || ::fsync(made.get()) != 0 || ::rename(unfinished.c_str(), file.c_str()) != 0)
      throw_errno(("cannot write " + file).c_str());
  } catch (...) {
    ::unlink(unfinished.c_str());
    throw;
  }
}

void write_key(const std::string& file, EVP_PKEY* key) {
  std::string text = pem(key);
  write_file(file, text, 0600);
  OPENSSL_cleanse(text.data(), text.size());
}

void write_member(const std::string& folder, X509* authority, const CertifiedKey& member) {
  make_private_folder(folder);
  write_file(folder + "/ca.pem", pem(authority), 0644);
  write_file(folder + "/cert.pem", pem(member.certificate.get()), 0644);
  write_key(folder + "/key.pem", member.key.get());
}

}  // namespace troupe::net
