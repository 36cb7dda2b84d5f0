#include "models/files/crash_images.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include "models/files.hpp"
#include "runtime/random.hpp"

namespace troupe::testing {
namespace {

namespace fs = std::filesystem;
using ImageKind = FileOperation::Kind;

constexpr int kRoot = 0;
constexpr std::size_t kBlock = 64;  ///< small, like the files of the tests

/// An entry of a folder: the folder's inode and the name.
using Name = std::pair<int, std::string>;
/// The inode of each name.
using NamesInFolder = std::map<Name, int>;

struct File {
  bool folder = false;
  std::string bytes;
  std::size_t synced = 0;  ///< the first bytes that are surely on disk
};

/// An atomic operation that changes names.
struct Change {
  std::vector<std::pair<Name, std::optional<int>>> names;
  std::optional<int> emptied = {};  ///< the inode of a folder that it removes
  bool on_disk = false;             ///< surely

  bool touches(int folder) const {
    return std::ranges::any_of(names, [&](const auto& each) { return each.first.first == folder; });
  }
  /// Returns whether this change can be on disk only if the earlier one is.
  bool needs(const Change& earlier) const {
    if (emptied && earlier.touches(*emptied)) return true;
    for (const auto& [name, inode] : names)
      for (const auto& [other, its_inode] : earlier.names)
        if (name == other) return true;
    return false;
  }
};

/// The state of the file system so far, and the part that the disk surely contains.
class Disk {
 public:
  explicit Disk(const FileTree& before) {
    for (const auto& [path, bytes] : before) {
      const bool folder = path.ends_with('/');
      const Name name = find(folder ? path.substr(0, path.size() - 1) : path);
      base_[name] = now_[name] = make(folder, bytes, bytes.size());
    }
  }

  void apply(const FileOperation& operation) {
    const auto set = [&](const std::string& path, std::optional<int> inode) { return std::pair{find(path), inode}; };
    switch (operation.kind) {
      case ImageKind::make_folder:
        return change({{set(operation.path, make(true, "", 0))}});
      case ImageKind::make_file:
        handles_[operation.handle] = make(false, "", 0);
        return change({{set(operation.path, handles_[operation.handle])}});
      case ImageKind::open:
        handles_[operation.handle] = operation.path.empty() ? kRoot : now_.at(find(operation.path));
        return;
      case ImageKind::write:
        files_[handles_.at(operation.handle)].bytes += operation.bytes;
        return;
      case ImageKind::sync:
        return sync(handles_.at(operation.handle));
      case ImageKind::move:
        return change({{set(operation.path, {}), set(operation.to, now_.at(find(operation.path)))}});
      case ImageKind::exchange:
        return change(
            {{set(operation.path, now_.at(find(operation.to))), set(operation.to, now_.at(find(operation.path)))}});
      case ImageKind::remove:
        return change({{set(operation.path, {})}});
      case ImageKind::remove_folder:
        return change({{set(operation.path, {})}, now_.at(find(operation.path))});
    }
  }

  /// Returns which changes are on disk. `is_there` decides for each change that may be missing.
  std::vector<bool> choose(const std::function<bool()>& is_there) const {
    std::vector<bool> chosen(changes_.size());
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      bool may = true;
      for (std::size_t j = 0; j < i && may; ++j) may = chosen[j] || !changes_[i].needs(changes_[j]);
      chosen[i] = changes_[i].on_disk || (may && is_there());
    }
    return chosen;
  }
  std::size_t undecided() const {
    return static_cast<std::size_t>(std::ranges::count_if(changes_, [](const Change& each) { return !each.on_disk; }));
  }

  /// @param data Returns the surviving bytes of a file of which the first `synced` bytes are surely on disk.
  FileTree image(const std::vector<bool>& chosen,
                 const std::function<std::string(const std::string& bytes, std::size_t synced)>& data) const {
    NamesInFolder names = base_;
    for (std::size_t i = 0; i < changes_.size(); ++i)
      for (const auto& [name, inode] : changes_[i].names)
        if (chosen[i]) inode ? static_cast<void>(names[name] = *inode) : static_cast<void>(names.erase(name));
    FileTree tree;
    add(kRoot, "", names, data, tree);
    return tree;
  }

 private:
  int make(bool folder, const std::string& bytes, std::size_t synced) {
    files_[++last_] = {folder, bytes, synced};
    return last_;
  }

  Name find(const std::string& path) const {
    int folder = kRoot;
    std::size_t begin = 0;
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', begin)) {
      folder = now_.at({folder, path.substr(begin, slash - begin)});
      begin = slash + 1;
    }
    return {folder, path.substr(begin)};
  }

  void change(Change change) {
    for (const auto& [name, inode] : change.names)
      inode ? static_cast<void>(now_[name] = *inode) : void(now_.erase(name));
    changes_.push_back(std::move(change));
  }

  void sync(int inode) {
    if (inode != kRoot && !files_.at(inode).folder) {
      files_[inode].synced = files_[inode].bytes.size();
      return;
    }
    for (Change& each : changes_) each.on_disk = each.on_disk || each.touches(inode);
    for (std::size_t i = changes_.size(); i-- > 0;)
      for (std::size_t j = 0; j < i; ++j)
        if (changes_[i].on_disk && changes_[i].needs(changes_[j])) changes_[j].on_disk = true;
  }

  void add(int folder, const std::string& prefix, const NamesInFolder& names,
           const std::function<std::string(const std::string&, std::size_t)>& data, FileTree& tree) const {
    for (auto name = names.lower_bound({folder, ""}); name != names.end() && name->first.first == folder; ++name) {
      const File& file = files_.at(name->second);
      const std::string path = prefix + name->first.second;
      if (!file.folder) {
        tree[path] = data(file.bytes, file.synced);
        continue;
      }
      tree[path + "/"];
      add(name->second, path + "/", names, data, tree);
    }
  }

  NamesInFolder base_;  ///< before the operations
  NamesInFolder now_;
  std::map<int, File> files_;
  std::map<int, int> handles_;
  std::vector<Change> changes_;
  int last_ = kRoot;
};

/// Returns the surviving bytes of a file after a crash. `kind` (0 to kDataKinds - 1) selects how unsynced bytes suffer.
constexpr std::uint64_t kDataKinds = 6;
std::string left_of(const std::string& bytes, std::size_t synced, std::uint64_t kind, Random& random) {
  std::string left = bytes;
  if (synced == bytes.size() || kind == 0) return left;
  if (kind == 1) return left.substr(0, synced);
  if (kind == 2) return left.replace(synced, std::string::npos, bytes.size() - synced, '\0');
  if (kind == 3) return left.substr(0, synced + random.below(bytes.size() - synced));
  for (std::size_t at = synced; at < left.size(); at += kBlock)
    if (random.below(2) == 0) left.replace(at, kBlock, std::min(kBlock, left.size() - at), '\0');
  return kind == 4 ? left : left.substr(0, synced + random.below(bytes.size() - synced));
}

/// Returns the bits of a number, lowest first. Counting the number up enumerates all choices.
std::function<bool()> bits_of(std::uint64_t number) {
  return [number]() mutable {
    const bool bit = (number & 1) != 0;
    number >>= 1;
    return bit;
  };
}

}  // namespace

FileTree read_tree(const std::string& root) {
  FileTree tree;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = fs::relative(entry.path(), root).string();
    entry.is_directory() ? tree[path + "/"] : tree[path] = read_file(entry.path());
  }
  return tree;
}

void write_tree(const std::string& root, const FileTree& tree) {
  for (const auto& [path, bytes] : tree) {
    if (path.ends_with('/'))
      fs::create_directory(root + "/" + path);
    else
      write_file(root + "/" + path, bytes);
  }
}

void for_each_crash(const FileTree& before, const std::vector<FileOperation>& operations, const CrashOptions& options,
                    const std::function<void(const FileTree& image, bool at_end)>& use) {
  Disk disk(before);
  Random random(options.seed);
  std::set<std::pair<bool, FileTree>> seen;
  for (std::size_t done = 0; done <= operations.size(); ++done) {
    if (done > 0) disk.apply(operations[done - 1]);
    const bool all = disk.undecided() < 20 && (std::size_t{1} << disk.undecided()) <= options.images_each;
    const std::size_t images = all ? std::size_t{1} << disk.undecided() : options.images_each;
    for (std::size_t number = 0; number < images; ++number) {
      const auto chosen = disk.choose(bits_of(all ? number : random.below(~std::uint64_t{0})));
      for (std::uint64_t kind = 0; kind < kDataKinds; ++kind) {
        const auto data = [&](const std::string& bytes, std::size_t synced) {
          return left_of(bytes, synced, kind, random);
        };
        const bool at_end = done == operations.size();
        const FileTree image = disk.image(chosen, data);
        if (seen.emplace(at_end, image).second) use(image, at_end);
      }
    }
  }
}

}  // namespace troupe::testing
