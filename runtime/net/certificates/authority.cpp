#include "runtime/net/certificates/authority.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/expiry.hpp"
#include "runtime/net/certificates/revocation.hpp"
#include "runtime/net/certificates/role.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

using Days = std::optional<std::int64_t>;

constexpr std::size_t kLongestName = 63;
constexpr std::int64_t kMostDays = 36500;
/// Tolerance in seconds. A certificate may be requested for as many days as its authority was. The authority is already
/// some minutes old then, and so expires a little earlier.
constexpr long kRounding = 3600;
const char* const kDriver = "driver";

void check_name(const std::string& name, const char* whom) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  if (name.empty() || name.size() > kLongestName || name.front() == '.' || name.front() == '-' ||
      !std::all_of(name.begin(), name.end(), allowed))
    throw Error(ErrorCode::invalid_argument,
                "'" + printable(name) + "' cannot name a " + whom + ": letters, digits, '-', '_' and '.', at most 63");
}

void check_node_name(const std::string& name) {
  check_name(name, "node");
  if (name == kDriver || name.find(".pem") != std::string::npos)
    throw Error(ErrorCode::invalid_argument, "'" + name + "' cannot name a node: it is reserved");
}

long seconds_of(std::int64_t days) {
  if (days < 1 || days > kMostDays)
    throw Error(ErrorCode::invalid_argument, "a certificate cannot be valid for " + std::to_string(days) +
                                                 " days: 1 to " + std::to_string(kMostDays));
  return static_cast<long>(days) * net::kDay;
}

/// Locks the authority's folder for the lifetime of this object. Operations of other processes on this folder wait
/// until the object is destroyed.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : held_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (held_ && ::flock(held_.get(), LOCK_EX) != 0)
      if (errno != EINTR) throw_errno(("cannot lock " + folder).c_str());
  }

 private:
  FileDescriptor held_;
};

/// Moves the folder `made` to the path `folder`. If there is a folder at this path already, replaces it, if possible
/// atomically.
/// @param spare a path to which the old folder is moved for a moment, if the file system cannot exchange two folders
/// atomically
void put_in_place(const std::string& made, const std::string& folder, const std::string& spare) {
  if (::rename(made.c_str(), folder.c_str()) == 0) return;  // there was no folder to replace
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(made);
    return;
  }
  // Some file systems, such as NFS, cannot exchange two folders atomically. On these, there is no folder at the path
  // `folder` for a moment.
  fs::remove_all(spare);
  if (::rename(folder.c_str(), spare.c_str()) != 0 || ::rename(made.c_str(), folder.c_str()) != 0)
    throw_errno(("cannot replace " + folder).c_str());
  fs::remove_all(spare);
}

/// An existing authority, whose folder is locked for the lifetime of this object.
class Authority {
 public:
  /// Locks the folder, and reads the authority's certificate, key and list of issued certificates.
  explicit Authority(std::string folder)
      : folder_(std::move(folder)), lock_(folder_), own_(read(folder_)), issued_(read_issued()) {}

  void issue(const std::string& member, const net::CertificateText& text);
  /// Checks that issued.pem contains certificates. @throws Error bad_certificate if the file is missing or empty
  void require_notes() const;
  /// Returns the lifetime of a new certificate in seconds, which is `days`, or `kMemberDays` if `days` is none. If the
  /// authority has a shorter remaining lifetime, returns the remaining lifetime.
  /// @throws Error invalid_argument if `days` exceeds the authority's remaining lifetime by more than an hour;
  /// bad_certificate if the authority has expired
  long lifetime(Days days) const;
  /// Returns all certificates that were issued for the node `member`, or for the driver if `member` is "driver", oldest
  /// first. @throws Error invalid_argument if there are none
  std::vector<X509*> of(const std::string& member) const;
  Revoked revoke(const std::string& member) const;

 private:
  static net::CertifiedKey read(const std::string& folder);
  std::vector<net::CertificatePtr> read_issued() const;
  void spread(const std::string& list) const;

  std::string folder_;
  FolderLock lock_;
  net::CertifiedKey own_;
  std::vector<net::CertificatePtr> issued_;
};

net::CertifiedKey Authority::read(const std::string& folder) {
  if (!fs::exists(folder + "/ca-key.pem"))
    throw Error(ErrorCode::bad_certificate,
                folder + "/ca-key.pem is missing; `troupe certs init " + folder + "` makes an authority");
  return net::read_certified_key(folder + "/ca.pem", folder + "/ca-key.pem");
}

std::vector<net::CertificatePtr> Authority::read_issued() const {
  const std::string file = folder_ + "/issued.pem";
  return fs::exists(file) ? net::read_certificates(file) : std::vector<net::CertificatePtr>{};
}

long Authority::lifetime(Days days) const {
  const long left = static_cast<long>(net::seconds_left(own_.certificate.get()));
  if (left <= 0) net::refuse(folder_ + "/ca.pem", "has expired", "make a new authority in another folder");
  const long asked = seconds_of(days.value_or(kMemberDays));
  if (days && asked > left + kRounding)
    throw Error(ErrorCode::invalid_argument, folder_ + "/ca.pem ends in " + std::to_string(left / net::kDay) +
                                                 " days: a certificate cannot be valid for " + std::to_string(*days));
  return std::min(asked, left);
}

/// Makes the key and certificate of `member`, and writes them to the member's subfolder. First adds the certificate to
/// issued.pem, because only certificates in issued.pem can be revoked: after a crash, there must not be a usable
/// certificate that is missing there.
void Authority::issue(const std::string& member, const net::CertificateText& text) {
  const net::CertifiedKey made = net::make_member(own_, text);
  std::string all;
  for (const auto& each : issued_) all += net::pem(each.get());
  net::write_file(folder_ + "/issued.pem", all + net::pem(made.certificate.get()), 0644);
  const std::string unfinished = folder_ + "/." + member + ".new";
  fs::remove_all(unfinished);
  net::write_member(unfinished, own_.certificate.get(), made);
  if (const std::string list = folder_ + "/crl.pem"; fs::exists(list))
    net::write_file(unfinished + "/crl.pem", net::read_text(list), 0644);
  put_in_place(unfinished, folder_ + "/" + member, folder_ + "/." + member + ".old");
}

void Authority::require_notes() const {
  if (issued_.empty())
    net::refuse(folder_ + "/issued.pem", "is missing or empty; it lists the issued certificates",
                "restore it from your backup, or make a new authority in another folder");
}

std::vector<X509*> Authority::of(const std::string& member) const {
  require_notes();
  std::vector<X509*> found;
  for (const auto& each : issued_) {
    const bool is_driver = net::has_role(each.get(), Role::driver);
    if (member == kDriver ? is_driver : !is_driver && net::common_name(each.get()) == member)
      found.push_back(each.get());
  }
  if (found.empty())
    throw Error(ErrorCode::invalid_argument,
                "the authority in " + folder_ + " has issued no certificate for '" + printable(member) + "'");
  return found;
}

Revoked Authority::revoke(const std::string& member) const {
  if ((X509_get_key_usage(own_.certificate.get()) & KU_CRL_SIGN) == 0)
    net::refuse(folder_ + "/ca.pem", "may not sign lists of revoked certificates",
                "an older Troupe made it: make a new authority in another folder");
  const std::vector<X509*> certificates = of(member);
  net::ListPtr list = net::read_list(folder_ + "/crl.pem", own_.certificate.get());
  if (!list) list = net::make_list(own_);
  Revoked done{static_cast<int>(certificates.size()), 0};
  for (X509* const each : certificates) done.added += net::add_to_list(list.get(), each) ? 1 : 0;
  net::sign_list(list.get(), own_);
  spread(net::pem(list.get()));
  return done;
}

void Authority::spread(const std::string& list) const {
  net::write_file(folder_ + "/crl.pem", list, 0644);
  for (const auto& entry : fs::directory_iterator(folder_))
    if (fs::exists(entry.path() / "cert.pem")) net::write_file((entry.path() / "crl.pem").string(), list, 0644);
}

net::CertificateText text_of(const std::string& name, Role role, long lifetime) {
  return {.name = name, .alternative_name = net::role_name(role), .valid_until = lifetime};
}

/// The folder of a new authority. If `complete` was not called, the destructor removes the files and folders that were
/// made for the authority.
class NewFolder {
 public:
  explicit NewFolder(const std::string& folder) : folder_(fs::absolute(folder).lexically_normal()) {
    for (fs::path each = folder_; !each.empty() && !fs::exists(each); each = each.parent_path()) ++made_;
    try {
      net::make_private_folder(folder);
    } catch (...) {
      remove();
      throw;
    }
  }
  ~NewFolder() {
    if (!complete_) remove();
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Checks that the folder contains no file with the name of an authority's file, such as ca.pem. After this check,
  /// the destructor removes files with these names, because only this object's owner can have made them.
  /// @throws Error bad_certificate if the folder already contains such a file
  void begin(const std::string& folder) {
    for (const char* const file : kFiles)
      if (fs::exists(folder + file))
        throw Error(ErrorCode::bad_certificate, folder + file + " already exists; choose another folder");
    begun_ = true;
  }
  void complete() { complete_ = true; }

 private:
  static constexpr std::array kFiles{"/ca.pem", "/ca-key.pem", "/issued.pem", "/crl.pem", "/driver"};

  /// Removes the authority's files, and the folders that this object has made. A folder that contains other files is
  /// not removed.
  void remove() noexcept {
    std::error_code ignored;
    for (const char* const file : kFiles)
      if (begun_) fs::remove_all(folder_.string() + file, ignored);
    if (begun_) fs::remove_all(folder_ / ".driver.new", ignored);
    fs::path each = folder_;
    for (; made_ > 0; --made_, each = each.parent_path()) ::rmdir(each.c_str());
  }

  fs::path folder_;
  int made_ = 0;  ///< number of folders that the constructor has created: `folder_` and missing parent folders
  bool begun_ = false;
  bool complete_ = false;
};

}  // namespace

void create_authority(const std::string& folder, const AuthorityOptions& options) {
  check_name(options.driver_name, "driver");
  const long lifetime = seconds_of(options.days);
  NewFolder made_folder(folder);
  {
    const FolderLock lock(folder);
    made_folder.begin(folder);
    if (options.driver_days && seconds_of(*options.driver_days) > lifetime)
      throw Error(ErrorCode::invalid_argument,
                  "the driver's certificate cannot be valid for longer than the authority");
    const net::CertifiedKey made = net::make_authority(-net::kBackdate, lifetime);
    net::write_key(folder + "/ca-key.pem", made.key.get());
    net::write_file(folder + "/ca.pem", net::pem(made.certificate.get()), 0644);
  }
  Authority authority(folder);
  authority.issue(kDriver, text_of(options.driver_name, Role::driver, authority.lifetime(options.driver_days)));
  made_folder.complete();
}

void create_node_credentials(const std::string& folder, const std::string& name, Days days) {
  check_node_name(name);
  Authority authority(folder);
  authority.require_notes();
  const std::string member = folder + "/" + name;
  if (fs::exists(member))
    throw Error(ErrorCode::bad_certificate,
                member + " already exists; `troupe certs renew` replaces its key and certificate");
  authority.issue(name, text_of(name, Role::node, authority.lifetime(days)));
}

void renew_credentials(const std::string& folder, const std::string& name, Days days) {
  Authority authority(folder);
  const std::string last = net::common_name(authority.of(name).back());
  authority.issue(name, text_of(last, name == kDriver ? Role::driver : Role::node, authority.lifetime(days)));
}

Revoked revoke_credentials(const std::string& folder, const std::string& name) {
  return Authority(folder).revoke(name);
}

}  // namespace troupe
