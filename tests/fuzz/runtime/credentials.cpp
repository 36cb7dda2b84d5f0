#include "runtime/net/tls/credentials.hpp"

#include <fcntl.h>

#include <filesystem>

#include "fuzz/support.hpp"
#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/expiry.hpp"

using namespace troupe;

namespace {

constexpr char kNextFile = '\0';

/// Replaces a file in a folder. Only the owner may read it, as required for a key.
void write(const std::string& file, const std::string& text) {
  const FileDescriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  fuzz::expect(made && ::write(made.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
               "the file is written");
}

class Folder {
 public:
  Folder() {
    std::string name = "/dev/shm/troupe-fuzz-XXXXXX";
    fuzz::expect(::mkdtemp(name.data()) != nullptr, "a folder is created");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  fuzz::Input input(data, size);
  for (const char* const file : {"/ca.pem", "/cert.pem", "/key.pem"})
    write(folder.path() + file, input.text_until(kNextFile));
  // If the input ends here, there is no revocation list.
  const std::string list = folder.path() + "/crl.pem";
  std::filesystem::remove(list);
  if (!input.empty()) write(list, input.text());
  for (const Role role : {Role::driver, Role::node})
    fuzz::may_refuse(
        [&] {
          const Credentials credentials(folder.path(), role);
          fuzz::expect(!credentials.name().empty(), "a certificate contains a name");
          fuzz::expect(role_of(folder.path()) == role, "a certificate has one role");
        },
        {ErrorCode::bad_certificate});
  fuzz::may_refuse([&] { role_of(folder.path()); }, {ErrorCode::bad_certificate});
  fuzz::may_refuse([&] { expiry_notice(folder.path()); }, {ErrorCode::bad_certificate});
  fuzz::may_refuse([&] { net::read_certificates(folder.path() + "/cert.pem"); }, {ErrorCode::bad_certificate});
  return 0;
}
