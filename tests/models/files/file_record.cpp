#include "models/files/file_record.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>

namespace troupe::testing {
namespace {

using Kind = FileOperation::Kind;

/// A traced child that is stopped at a system call.
class Traced {
 public:
  explicit Traced(pid_t child) : child_(child) {}

  struct Call {
    std::uint64_t number = 0;
    std::array<std::uint64_t, 6> arguments{};
    std::int64_t result = 0;
  };

  /// Returns the next completed system call, or nothing if the child has ended.
  std::optional<Call> next() {
    Call call;
    for (bool inside = false;;) {
      ::ptrace(PTRACE_SYSCALL, child_, nullptr, nullptr);
      if (::waitpid(child_, &status_, 0) != child_ || !WIFSTOPPED(status_)) return std::nullopt;
      if (WSTOPSIG(status_) != (SIGTRAP | 0x80)) continue;
      __ptrace_syscall_info info{};
      ::ptrace(PTRACE_GET_SYSCALL_INFO, child_, sizeof info, &info);
      if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        call.number = info.entry.nr;
        std::copy_n(info.entry.args, call.arguments.size(), call.arguments.begin());
        inside = true;
      } else if (inside && info.op == PTRACE_SYSCALL_INFO_EXIT) {
        call.result = info.exit.rval;
        return call;
      }
    }
  }

  std::string bytes(std::uint64_t address, std::size_t size) const {
    std::string bytes(size, '\0');
    iovec here{bytes.data(), size};
    iovec there{reinterpret_cast<void*>(address), size};
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(::process_vm_readv(child_, &here, 1, &there, 1, 0), 0)));
    return bytes;
  }
  std::string text(std::uint64_t address) const {
    std::string text;
    for (std::string next; (next = bytes(address + text.size(), 1)) != std::string(1, '\0') && !next.empty();)
      text += next;
    return text;
  }

  bool ended_well() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

 private:
  pid_t child_;
  int status_ = 0;
};

/// Converts system calls to file operations.
class Recorder {
 public:
  /// Must be constructed before the child changes anything.
  Recorder(const Traced& traced, std::string root) : traced_(traced), root_(std::move(root)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_))
      there_.insert(std::filesystem::relative(entry.path(), root_).string());
  }

  std::vector<FileOperation> operations;

  void note(const Traced::Call& call) {
    if (call.result < 0) return;
    const auto& a = call.arguments;
    switch (call.number) {
      case SYS_openat:
        return open(traced_.text(a[1]), a[2], call.result);
      case SYS_close:
        handles_.erase(static_cast<int>(a[0]));
        return;
      case SYS_write:
        return on_handle(Kind::write, a[0], traced_.bytes(a[1], static_cast<std::size_t>(call.result)));
      case SYS_fsync:
      case SYS_fdatasync:
        return on_handle(Kind::sync, a[0], "");
      case SYS_mkdirat:
        REQUIRE(static_cast<int>(a[0]) == AT_FDCWD);
        return add(Kind::make_folder, a[1]);
      case SYS_unlinkat:
        REQUIRE(static_cast<int>(a[0]) == AT_FDCWD);
        return add((a[2] & AT_REMOVEDIR) != 0 ? Kind::remove_folder : Kind::remove, a[1]);
      case SYS_renameat2:
        REQUIRE((a[4] == 0 || a[4] == RENAME_EXCHANGE));
        return add(a[4] == 0 ? Kind::move : Kind::exchange, a[1], a[3]);
      case SYS_renameat:
        return add(Kind::move, a[1], a[3]);
#if defined(__x86_64__)  // newer architectures have only the variants that name a folder
      case SYS_mkdir:
        return add(Kind::make_folder, a[0]);
      case SYS_rmdir:
        return add(Kind::remove_folder, a[0]);
      case SYS_unlink:
        return add(Kind::remove, a[0]);
      case SYS_rename:
        return add(Kind::move, a[0], a[1]);
      case SYS_open:
      case SYS_creat:
      case SYS_link:
      case SYS_symlink:
#endif
      case SYS_pwrite64:
      case SYS_writev:
      case SYS_pwritev:
      case SYS_linkat:
      case SYS_symlinkat:
      case SYS_truncate:
      case SYS_ftruncate:
      case SYS_fallocate:
      case SYS_copy_file_range:
      case SYS_sendfile:
      case SYS_splice:
        FAIL("unsupported system call: ", call.number);
    }
  }

 private:
  std::optional<std::string> inside(const std::string& path) const {
    if (path == root_) return "";
    if (!path.starts_with(root_ + "/")) return std::nullopt;
    return path.substr(root_.size() + 1);
  }

  void open(const std::string& path, std::uint64_t flags, std::int64_t descriptor) {
    const auto known = inside(path);
    if (!known) return;
    REQUIRE((flags & (O_TRUNC | O_APPEND)) == 0);
    handles_[static_cast<int>(descriptor)] = ++last_;
    const bool creates = (flags & O_CREAT) != 0;
    // Without O_EXCL the file may exist already. The tests never rename a file that was opened this way.
    const bool makes = creates && ((flags & O_EXCL) != 0 || there_.insert(*known).second);
    operations.push_back({makes ? Kind::make_file : Kind::open, *known, "", last_, ""});
  }
  void on_handle(Kind kind, std::uint64_t descriptor, std::string bytes) {
    const auto handle = handles_.find(static_cast<int>(descriptor));
    if (handle != handles_.end()) operations.push_back({kind, "", "", handle->second, std::move(bytes)});
  }
  void add(Kind kind, std::uint64_t path) {
    if (const auto known = inside(traced_.text(path))) operations.push_back({kind, *known, "", -1, ""});
  }
  void add(Kind kind, std::uint64_t from, std::uint64_t to) {
    const auto known = inside(traced_.text(from));
    const auto target = inside(traced_.text(to));
    REQUIRE(known.has_value() == target.has_value());
    if (known) operations.push_back({kind, *known, *target, -1, ""});
  }

  const Traced& traced_;
  std::string root_;
  std::map<int, int> handles_;   ///< by descriptor
  std::set<std::string> there_;  ///< files before the first operation, and files opened without O_EXCL
  int last_ = 0;
};

}  // namespace

std::optional<std::vector<FileOperation>> record_files(const std::string& root, const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(122);
      ::raise(SIGSTOP);
      action();
      ::_exit(0);
    } catch (...) {
      ::_exit(120);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return std::nullopt;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  Traced traced(child);
  Recorder recorder(traced, root);
  while (const auto call = traced.next()) recorder.note(*call);
  REQUIRE(traced.ended_well());
  return recorder.operations;
}

}  // namespace troupe::testing
