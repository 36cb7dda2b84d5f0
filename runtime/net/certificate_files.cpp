#include "runtime/net/certificate_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 63;

void make_private_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) throw Error(ErrorCode::system, "cannot make the folder " + folder + ": " + error.message());
}

void write_bytes(int fd, const std::string& text, const std::string& file) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno(("cannot write " + file).c_str());
    done += static_cast<std::size_t>(written);
  }
}

/// Nobody ever sees half a file, and a key never has another mode.
void write_file(const std::string& file, const std::string& text, mode_t mode) {
  const std::string unfinished = file + ".new";
  ::unlink(unfinished.c_str());
  const FileDescriptor made(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!made) throw_errno(("cannot write " + unfinished).c_str());
  write_bytes(made.get(), text, unfinished);
  if (::fchmod(made.get(), mode) != 0 || ::fsync(made.get()) != 0 || ::rename(unfinished.c_str(), file.c_str()) != 0)
    throw_errno(("cannot write " + file).c_str());
}

/// A text of the user's, as an error may show it.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

bool plain_word(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), allowed);
}

net::CertifiedKey read_authority_key(const std::string& folder) {
  if (!fs::exists(folder + "/ca-key.pem"))
    throw Error(ErrorCode::bad_certificate,
                folder + "/ca-key.pem is missing; `troupe certs init " + folder + "` makes an authority");
  return net::read_certified_key(folder + "/ca.pem", folder + "/ca-key.pem");
}

void add_member(const std::string& folder, const net::CertifiedKey& authority, const std::string& name, Role role) {
  const std::string member = folder + "/" + name;
  if (fs::exists(member))
    throw Error(ErrorCode::bad_certificate, member + " is there already; remove it to have it made anew");
  net::CertificateText text;
  text.name = name;
  text.alternative_name = net::role_name(role);
  net::write_member(member, authority.certificate.get(), net::make_member(authority, text));
}

}  // namespace

void net::write_member(const std::string& folder, X509* authority, const CertifiedKey& member) {
  make_private_folder(folder);
  write_file(folder + "/ca.pem", pem(authority), 0644);
  write_file(folder + "/cert.pem", pem(member.certificate.get()), 0644);
  write_file(folder + "/key.pem", pem(member.key.get()), 0600);
}

Role role_of(const std::string& folder) {
  const auto certificate = net::read_certificate(folder + "/cert.pem");
  return net::has_role(certificate.get(), Role::driver) ? Role::driver : Role::node;
}

void create_authority(const std::string& folder) {
  for (const char* const file : {"/ca.pem", "/ca-key.pem"}) {
    if (fs::exists(folder + file))
      throw Error(ErrorCode::bad_certificate, folder + file + " is there already; choose another folder");
  }
  make_private_folder(folder);
  const net::CertifiedKey authority = net::make_authority();
  write_file(folder + "/ca-key.pem", net::pem(authority.key.get()), 0600);
  write_file(folder + "/ca.pem", net::pem(authority.certificate.get()), 0644);
  create_driver_credentials(folder);
}

void create_driver_credentials(const std::string& folder) {
  add_member(folder, read_authority_key(folder), to_string(Role::driver), Role::driver);
}

void create_node_credentials(const std::string& folder, const std::string& name) {
  if (!plain_word(name) || name == to_string(Role::driver) || name.find(".pem") != std::string::npos)
    throw Error(ErrorCode::invalid_argument, "'" + on_one_line(name) +
                                                 "' cannot name a node: letters, digits, '-', '_' and '.', at most 63, "
                                                 "and not 'driver'");
  add_member(folder, read_authority_key(folder), name, Role::node);
}

}  // namespace troupe
