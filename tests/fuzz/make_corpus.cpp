// Writes the seed inputs of the fuzz targets: make_corpus FOLDER. Most are data that Troupe writes; the others are
// similar. Inputs that a fuzzer has found are stored in the same folders and not changed.
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "actors/messages/measures.hpp"
#include "actors/messages/options_json.hpp"
#include "fuzz/actors/message_seeds.hpp"
#include "models/data/csv/csv_index.hpp"
#include "models/data/tar/tar_index.hpp"
#include "models/files.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "models/files/network_text.hpp"
#include "models/files/weight_file.hpp"
#include "runtime/net/certificates/certificate.hpp"
#include "runtime/net/certificates/revocation.hpp"
#include "runtime/net/certificates/role.hpp"
#include "runtime/net/data/frame.hpp"
#include "runtime/net/gate/hello.hpp"
#include "runtime/store/protocol.hpp"
#include "support/tar_bytes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace troupe_test;
using namespace std::string_literals;

namespace {

template <class T>
std::string bytes_of(const T& object) {
  return {reinterpret_cast<const char*>(std::data(object)), std::size(object) * sizeof *std::data(object)};
}

template <class T>
std::string bytes_of_struct(const T& object) {
  return {reinterpret_cast<const char*>(&object), sizeof object};
}

class Corpus {
 public:
  explicit Corpus(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(folder_ / target);
    write_file(path(target, name), bytes);
  }
  std::string path(const std::string& target, const std::string& name) const { return folder_ / target / name; }

 private:
  std::filesystem::path folder_;
};

void add_hellos(const Corpus& corpus) {
  for (const Purpose purpose : {Purpose::control, Purpose::data, Purpose::status}) {
    Hello hello = make_hello(purpose);
    hello.run = 77;
    hello.generation = 3;
    hello.node = 1;
    const std::string bytes = bytes_of(encode(hello));
    corpus.add("hello", "purpose-" + std::to_string(static_cast<int>(purpose)), bytes);
    corpus.add("hello", "short-" + std::to_string(static_cast<int>(purpose)), bytes.substr(0, 90));
    hello.protocol = 2;
    corpus.add("hello", "protocol-" + std::to_string(static_cast<int>(purpose)), bytes_of(encode(hello)));
  }
  corpus.add("hello", "frame", bytes_of(encode(FrameHeader{7, 1, 2, 52})) + std::string(64, '\0'));
  corpus.add("hello_answer", "accepted", "\x40" + bytes_of(encode_answer("")));
  corpus.add("hello_answer", "refused", "\x01" + bytes_of(encode_answer("this node is not expected")));
  corpus.add("hello_answer", "too-long", "\xff\x02\xff\xff"s + std::string(1100, 'a'));
  corpus.add("hello_answer", "contradicts-itself", "\x05\x01\x03\x00why"s);
}

std::string segment(WindowId window, std::uint32_t number, std::uint64_t ticket, std::size_t bytes) {
  return bytes_of(encode(FrameHeader{window, number, ticket, bytes})) + std::string(bytes, 'x');
}

/// Returns an input of two nodes. The data of node 1 must be a multiple of 8 bytes.
std::string two_nodes(char piece, const std::string& first, const std::string& second) {
  return std::string{piece, static_cast<char>(first.size() / 8)} + first + second;
}

void add_segments(const Corpus& corpus) {
  const std::string whole = segment(7, 0, 1, 48) + segment(7, 1, 1, 48) + segment(7, 0, 2, 48);
  corpus.add("segments", "in-order", two_nodes('\xff', whole, segment(8, 0, 1, 64)));
  corpus.add("segments", "in-pieces", two_nodes(5, whole, segment(8, 0, 1, 64) + segment(8, 0, 2, 64)));
  corpus.add("segments", "last-of-its-window", two_nodes(9, "", segment(7, 2, 1, 4)));
  corpus.add("segments", "of-another-node", two_nodes(9, segment(8, 0, 1, 64), ""));
  corpus.add("segments", "twice", two_nodes(40, "", segment(8, 0, 1, 64) + segment(8, 0, 1, 64)));
  corpus.add("segments", "too-long", two_nodes(40, "", segment(8, 0, 1, 65)));
  corpus.add("segments", "cut-off", two_nodes(40, "", segment(8, 0, 1, 64).substr(0, 70)));
  corpus.add("segments", "own-window", two_nodes(40, segment(9, 0, 1, 32), segment(9, 0, 1, 32)));
}

void add_texts(const Corpus& corpus) {
  int number = 0;
  for (const char* const text : {"10.0.0.1:4000", "[::1]:0", "driver.example.org:65535", "::1:5", ":1", "host:65536",
                                 "a b:1", "[fe80::1%eth0]:7", "[]:1", "host:+1"})
    corpus.add("address", std::to_string(number++), text);
  const std::string environment = "STEP_ID=0\nPROCID=2\nSTEP_NUM_TASKS=4\nJOB_ID=1234567\n";
  for (const char* const list :
       {"node[01-03,07],other", "rack[0-1]node[4-9]-ib,x", "login-2.example.org", "node[", "node[1-2-3]", "a,,b"})
    corpus.add("slurm", std::to_string(number++), list + "\n"s + environment);
  corpus.add("slurm", "special-step", "a\nSTEP_ID=4294967294\n");
  corpus.add("slurm", "rank-too-high", "a\nSTEP_ID=0\nPROCID=4\nNTASKS=4\nJOBID=1\n");
  const std::string version_2 = "0::/user.slice/run.scope\n\f29 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n\f";
  const std::string version_1 =
      "8:pids:/a/b\n4:memory:/docker/3f\n2:cpu,cpuacct:/\n\f35 31 0:32 /docker/3f /memory rw master:1 - cgroup cgroup "
      "rw,memory\n39 31 0:36 / /with\\040space rw - cgroup cgroup rw,pids\n32 31 0:29 / /cpu rw - cgroup cgroup "
      "rw,cpu,cpuacct\n\f";
  for (const char* const content : {"max\n", "20\n", "150000 100000\n", "oom_kill 3\n", "9223372036854771712\n"}) {
    corpus.add("cgroup", std::to_string(number++), version_2 + content);
    corpus.add("cgroup", std::to_string(number++), version_1 + content);
  }
}

std::string request(std::uint8_t client, store::Operation operation, std::uint64_t bytes, std::uint64_t more = 0) {
  store::Request made;
  made.operation = operation;
  made.bytes = bytes;
  if (operation == store::Operation::get) made.deadline_ms = more;
  if (operation == store::Operation::create) made.shared_writers = more;
  return static_cast<char>(client) + bytes_of_struct(made);
}

void add_requests(const Corpus& corpus) {
  using enum store::Operation;
  const std::string life = request(0, create, 4096) + request(0, seal, 0) + request(1, get, 0) + request(0, release, 0);
  corpus.add("store_requests", "life", life + request(1, release, 0) + request(0, create, 4096));
  corpus.add("store_requests", "wait",
             request(1, get, 0, 50) + request(2, get, 0, 50) + request(0, create, 100) + request(0, seal, 0));
  corpus.add("store_requests", "expire", request(1, get, 0, 50) + "\xf0");
  corpus.add("store_requests", "shared",
             request(0, create, 9000, 1) + request(1, open, 0) + "\xf9" + request(2, get, 0));
  corpus.add("store_requests", "full", request(0, create, 60000) + request(1, create, 60000));
  corpus.add("store_requests", "trim", life + request(1, release, 0) + request(0, trim, 1));
  corpus.add("store_requests", "short", "\xe8" + request(0, create, 1).substr(1, 8));
  corpus.add("store_requests", "huge", request(0, create, UINT64_MAX));
}

std::string reply(std::uint64_t sequence, std::uint64_t slab, std::uint64_t bytes, bool file,
                  store::Status status = store::Status::ok) {
  store::Reply made;
  made.status = status;
  made.sequence = sequence;
  made.slab = slab;
  made.bytes = bytes;
  return static_cast<char>(file ? 0xc1 : 0xc0) + bytes_of_struct(made);
}

/// Adds calls of `call` in store_replies.cpp and their replies.
void add_replies(const Corpus& corpus) {
  const auto add = [&](const std::string& name, const std::string& calls, const std::string& replies) {
    corpus.add("store_replies", name, static_cast<char>(calls.size()) + calls + replies);
  };
  add("create", "\x00\x04"s, reply(1, 1, 64, true) + reply(2, 0, 0, false));
  add("shared", "\x01", reply(1, 1, 9000, true));
  add("open", "\x02", reply(1, 1, 9000, true));
  add("get", "\x03", reply(1, 1, 12000, true));
  add("no-file", "\x03", reply(1, 1, 4096, false));
  add("file-too-short", "\x03", reply(1, 1, 1 << 20, true));
  add("full", "\x00\x00"s, reply(1, 1, 64, true) + reply(2, 0, 0, false, store::Status::full));
  add("no-files", "\x00"s, reply(1, 0, 0, false, store::Status::no_files));
  add("late", "\x03", reply(0, 1, 64, true) + reply(1, 1, 64, true));
  add("release", "\x06", reply(1, 0, 0, false));
}

void add_models(const Corpus& corpus) {
  write_gzip(corpus.path("idx", "images"), "");  // cannot create folders
  corpus.add("idx", "images", "");
  write_gzip(corpus.path("idx", "images"), idx_bytes({2, 3, 2}, "abcdefghijkl"));
  corpus.add("idx", "labels", "");
  write_gzip(corpus.path("idx", "labels"), idx_bytes({5}, "\x01\x02\x03\x04\x05"));
  corpus.add("idx", "promises-too-much", "");
  write_gzip(corpus.path("idx", "promises-too-much"), idx_bytes({0xffffffff, 0xffffffff, 2}, "ab"));
  corpus.add("idx", "cut-off", read_file(corpus.path("idx", "images")).substr(0, 20));
  corpus.add("npy", "floats", npy_bytes(npy_dictionary("<f4", "(2, 3)"), std::string(24, 'x')));
  corpus.add("npy", "doubles", npy_bytes(npy_dictionary("<f8", "(2,)"), std::string(16, '\x7f'), 2));
  corpus.add("npy", "bytes", npy_bytes(npy_dictionary("|u1", "(5, 1, 1)"), "abcde", 3));
  corpus.add("npy", "labels", npy_bytes(npy_dictionary("<i8", "(2,)"), std::string(16, '\1')));
  corpus.add("npy", "fortran", npy_bytes(npy_dictionary("<i4", "(2,)", true), std::string(8, '\1')));
  corpus.add("npy", "promises-too-much", npy_bytes(npy_dictionary("<i8", "(4611686018427387904, 8)"), ""));
  const TarFiles arrays{{"x.npy", npy_bytes(npy_dictionary("<f4", "(2, 3)"), std::string(24, 'x'))},
                        {"y.npy", npy_bytes(npy_dictionary("<i8", "(2,)"), std::string(16, '\0'))}};
  for (const char* compression : {"store", "deflate"}) {
    corpus.add("npz", compression, "");
    write_zip(corpus.path("npz", compression), arrays, compression);
  }
  corpus.add("safetensors", "two-tensors", "");
  write_safetensors(corpus.path("safetensors", "two-tensors"), {{"weight", {2, 3}}, {"bias", {2}}},
                    std::vector<float>(8, 0.5F));
  const auto with_header = [](const std::string& header, const std::string& data) {
    return little_endian(header.size(), 8) + header + data;
  };
  corpus.add("safetensors", "batch-norm",
             with_header(R"({"__metadata__":{"format":"pt"},"a.num_batches_tracked":{"dtype":"I64","shape":[],)"
                         R"("data_offsets":[0,8]},"a.running_mean":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
                         std::string(12, '\0')));
  corpus.add("safetensors", "overlap",
             with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                         R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
                         "abcdef"));
  corpus.add("network", "layers",
             to_json({.model = "",
                      .layers = {{"0", "flatten", {-1}, {}}, {"fc", "linear", {0}, {{"outputs", 2}}}},
                      .data = {.shape = {1, 2, 3}, .num_classes = 2, .class_names = {"a", "b"}, .byte_scale = 0.5},
                      .loss = "softmax-cross-entropy"}));
  corpus.add("network", "tied",
             to_json({.model = "",
                      .layers = {{"wte", "embedding", {-1}, {{"channels", 2}, {"vocabulary", 3}}},
                                 {"lm_head", "linear", {0}, {{"bias", 0}, {"outputs", 3}}, "wte"}},
                      .data = {.shape = {4}, .num_classes = 3, .labels_per_sample = 4, .vocabulary = 3},
                      .loss = "softmax-cross-entropy"}));
  corpus.add(
      "network", "linear",
      to_json(
          {.model = "linear", .layers = {}, .data = {.shape = {4}, .num_targets = 1}, .loss = "mean-squared-error"}));
  corpus.add("safetensors", "nested", with_header(std::string(50, '['), ""));
}

void add_archives(const Corpus& corpus) {
  const std::string npy = npy_bytes(npy_dictionary("|u1", "(2,)"), "ab");
  const std::string plain = tar_bytes(
      {{"cat/1.npy", npy}, {"2.npy", npy}, {"2.cls", "7\n"}, {"3.npy", npy}, {"3.json", R"({"label": "dog"})"}});
  corpus.add("tar", "plain", plain);
  corpus.add("tar", "cut-off", plain.substr(0, 1700));
  corpus.add("tar", "targets", tar_bytes({{"1.x.npy", npy}, {"1.y.npy", npy}}));
  corpus.add("tar", "links",
             tar_header("a.png", tar_size(0), '1', "b") + tar_header("c", tar_size(0), '5') + tar_end());
  corpus.add("tar", "huge", tar_header("a/b.png", "\x80\0\0\0\x10\0\0\0\0\0\0\0"s) + tar_end());
  corpus.add("tar", "gzip", "");
  write_gzip(corpus.path("tar", "gzip"), plain);
  corpus.add("tar", "zstd", "");
  write_tar(corpus.path("tar", "zstd"), {{"a/1.npy", npy}, {std::string(200, 'n') + "/2.npy", npy}},
            ARCHIVE_FILTER_ZSTD);
  corpus.add("tar", "pax", "");
  write_tar(corpus.path("tar", "pax"), {{std::string(200, 'n') + "/2.npy", npy}}, ARCHIVE_FILTER_NONE);
  const TarSample named{.values = {"a/1.npy", 0, 517}, .answer = TarAnswer::name, .label = "a%\n"};
  const TarSample other{.values = {"a/2.npy", 1024, 518}, .answer = TarAnswer::targets, .targets = {"a/2.y.npy", 0, 9}};
  TarSampleList two;
  two.add(named);
  two.add(other);
  TarSampleList one;
  one.add(other);
  corpus.add("tar_index", "two", to_text({3072, 1, 3072, two}));
  corpus.add("tar_index", "none", to_text({}));
  corpus.add("tar_index", "behind-the-end", to_text({100, 1, 100, one}));
}

/// Adds files of three tokens in each format. The first byte selects the format and the name of the file.
void add_tokens(const Corpus& corpus) {
  using Header = std::array<std::uint32_t, 256>;
  const std::string three = "\1\0\2\0\3\0"s;
  const std::string wide = "\1\0\0\0\2\0\0\0\3\0\0\0"s;
  corpus.add("tokens", "raw", "\1" + three);
  corpus.add("tokens", "gpt2", "\2" + bytes_of(Header{20240520, 1, 3}) + three);
  corpus.add("tokens", "llama", "\2" + bytes_of(Header{20240801, 7, 3}) + wide);
  corpus.add("tokens", "promises-too-much", "\2" + bytes_of(Header{20240801, 7, 0xffffffff}) + wide);
  corpus.add("tokens", "npy", "\3" + npy_bytes(npy_dictionary("<u2", "(3,)"), three));
  corpus.add("tokens", "big-endian", "\3" + npy_bytes(npy_dictionary(">u4", "(3,)"), "\0\0\0\1\0\0\0\2\0\0\0\3"s));
  corpus.add("tokens", "detected", "\0"s + bytes_of(Header{20240520, 1, 3}) + three);
  corpus.add("tokens", "named", "\4" + npy_bytes(npy_dictionary("<u4", "(3,)"), wide));
}

/// Adds indices for the columns and files of the target.
void add_csv_indices(const Corpus& corpus) {
  CsvColumn size{.name = "size"};
  CsvColumn colour{.name = "colour", .is_text = true, .categories = Categories({"blue", "red"})};
  CsvColumn kind{
      .name = "kind", .role = CsvColumn::Role::label, .is_text = true, .categories = Categories({"a", "b", "c"})};
  CsvRows rows;
  rows.count = 3;
  rows.missing = {1, 0, 0};
  rows.means = {2.5F, 0};
  rows.labels = {0, 2, 1};
  rows.offsets = {17, 300, 4};
  rows.files = {{.name = "", .end = 2}, {.name = "", .end = 3}};
  corpus.add("csv_index", "three", to_bytes(rows, {size, colour, kind}, "key"));
  rows.offsets = {17, 300, 1004};
  corpus.add("csv_index", "behind-the-end", to_bytes(rows, {size, colour, kind}, "key"));
  rows.labels = {0, 7, 1};
  corpus.add("csv_index", "no-such-class", to_bytes(rows, {size, colour, kind}, "key"));
}

void add_manifests(const Corpus& corpus) {
  CheckpointManifest manifest;
  manifest.model = "resnet";
  manifest.optimizer = "{}";
  manifest.fingerprint = fingerprint_of({{"weight", {2, 3}}});
  manifest.weights_file = {80, 1, {{"weight", 2}}};
  corpus.add("manifest", "plain", to_json(manifest));
  manifest.step = manifest.updates = 1'000'000;
  manifest.seed = ~0ULL;
  manifest.config = R"({"depth":18})";
  manifest.optimizer = to_json(OptimizerSettings{});
  manifest.state = {"exp_avg", "exp_avg_sq"};
  manifest.state_file = {200, 3, {{"exp_avg/weight", 4}, {"exp_avg_sq/weight", 5}}};
  const std::string text = to_json(manifest);
  corpus.add("manifest", "state", text);
  corpus.add("manifest", "cut-off", text.substr(0, text.size() / 2));
  corpus.add("manifest", "format-2", R"({"format":2})");
  corpus.add("manifest", "twice", R"({"format":1,"format":1})");
  corpus.add("manifest", "huge-step", R"({"format":1,"step":1e300})");
}

void add_control(const Corpus& corpus) {
  const auto seeds = fuzz::message_seeds();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    corpus.add("messages", std::to_string(i), seeds[i]);
    corpus.add("messages", std::to_string(i) + "-cut-off", seeds[i].substr(0, seeds[i].size() - 3));
  }
  // A class, a target, a metric and hits of two shards with three samples.
  const MeasureShape shape{1, 1, 1, true};
  const Measures measures{{3}, {{1, 1, 2, 2, {}, {{4, 2, 1, 0}}, {10}}, {1, 1, 1, 0, {}, {{1, 1, 1, 0}}, {5}}}};
  const std::string measured = "\1\1\1\1\2\0\0\0\1"s + to_text(shape, measures);
  corpus.add("measures", "two-shards", measured);
  corpus.add("measures", "cut-off", measured.substr(0, measured.size() - 3));
  OptimizerSettings options;
  corpus.add("options", "default", to_json(options));
  options.schedule.warmup_steps = 7;
  options.learning_rate = 1e-300;
  corpus.add("options", "small-rate", to_json(options));
  corpus.add("options", "fraction-for-steps", R"({"kind":"sgd","schedule":{"warmup_steps":1e300}})");
}

std::string status(const std::string& text) { return bytes_of(encode_status(text)); }

void add_command(const Corpus& corpus) {
  const std::string node = R"({"node":"alice","address":"10.0.0.2","cores":8,"devices":0,"workers":2,)"
                           R"("state":"serving","round_trip_us":120,"copy_of":"node1"})";
  const auto object = [](const std::string& nodes) {
    return R"({"nodes":[)" + nodes + R"(],"copies":{"step":20,"age_s":3,"bytes_sent":4096,"milliseconds":17},)" +
           R"("changes":[{"step":12,"age_s":40,"joined":["carol"],"left":["bob"]}]})";
  };
  corpus.add("status", "two-nodes", status(object(node + "," + node)));
  corpus.add("status", "none", status(object("")));
  corpus.add("status", "array", status("[" + node + "]"));
  corpus.add("status", "plain", object(node));
  corpus.add("status", "too-long", "\xff\xff\xff\xff[]");
  corpus.add("status", "huge-number", R"({"nodes":[{"node":"a","address":"b","cores":1e300}]})");
  const std::string step =
      R"({"step":1,"loss":0.5,"samples":50,"repairs":[{"worker":1,"node":"a","phase":"compute",)"
      R"("what":"<b>"}],"seconds":{"step":0.1,"compute_all":0.06,"reduce":0.02,"apply_all":0.01}})";
  corpus.add("report", "step", step + "\n");
  corpus.add("report", "cut-off", step + "\n" + step.substr(0, 40));
  corpus.add(
      "report", "epoch",
      step + "\n" +
          R"({"epoch":1,"loss":0.5,"learning_rate":0.1,"samples_per_second":9,"test":{"loss":1e300,"accuracy":1}})");
  corpus.add("report", "fraction-for-step", R"({"step":1e300,"loss":null})");
  corpus.add("hosts", "three", "alice\nbob@10.0.0.2  # the second\n\n[fe80::1%eth0]\r\n");
  corpus.add("hosts", "none", "# nobody\n");
  corpus.add("hosts", "option", "a\n-oProxyCommand=x\n");
  corpus.add("hosts", "command", "a;b\n");
  corpus.add("config", "all",
             R"({"workers": 2, "learning-rate": 0.05, "epochs": 5, "placement": "processes", "profile": true})");
  corpus.add("config", "negated", R"({"any-order": true, "steps": 100})");
  corpus.add("config", "unknown", R"({"wrokers": 2})");
  corpus.add("config", "of-another-type", R"({"profile": "yes", "workers": [1]})");
  corpus.add("config", "sections",
             R"({"num_workers": 2, "optimizer": {"learning_rate": 0.1, "groups": [{"pattern": "*.bias",)"
             R"( "weight_decay": 0}, "x:weight_decay=0"]}, "placement": "processes", "profile": true, "steps": 4})");
  corpus.add("config", "nested", std::string(2000, '['));
}

/// Adds worthless keys: the key of the authority is not stored.
void add_credentials(const Corpus& corpus) {
  constexpr long kForFiftyYears = 50 * 365 * net::kDay;
  const net::CertifiedKey authority = net::make_authority(-net::kBackdate, kForFiftyYears);
  const std::string ca = net::pem(authority.certificate.get());
  const auto add = [&](const std::string& name, net::CertificateText text, bool other_authority = false) {
    text.valid_until = std::min(text.valid_until, kForFiftyYears);
    const net::CertifiedKey other = net::make_authority();
    const auto member = net::make_member(other_authority ? other : authority, text);
    corpus.add("credentials", name, ca + '\0' + net::pem(member.certificate.get()) + '\0' + net::pem(member.key.get()));
  };
  const std::string role = net::role_name(Role::node);
  add("node", {.name = "alice", .alternative_name = role, .valid_until = kForFiftyYears});
  add("driver", {.name = "driver", .alternative_name = net::role_name(Role::driver), .valid_until = kForFiftyYears});
  add("no-role", {.name = "alice", .valid_until = kForFiftyYears});
  add("expired", {.name = "alice", .alternative_name = role, .valid_until = -1});
  add("foreign", {.name = "alice", .alternative_name = role, .valid_until = kForFiftyYears}, true);
  corpus.add("credentials", "empty", std::string(2, '\0'));
  const auto alice =
      net::make_member(authority, {.name = "alice", .alternative_name = role, .valid_until = kForFiftyYears});
  const auto with_list = [&](const std::string& name, X509_CRL* list) {
    corpus.add(
        "credentials", name,
        ca + '\0' + net::pem(alice.certificate.get()) + '\0' + net::pem(alice.key.get()) + '\0' + net::pem(list));
  };
  const net::ListPtr list = net::make_list(authority);
  net::sign_list(list.get(), authority);
  with_list("list-empty", list.get());
  net::add_to_list(list.get(), authority.certificate.get());
  net::sign_list(list.get(), authority);
  with_list("list", list.get());
  net::add_to_list(list.get(), alice.certificate.get());
  net::sign_list(list.get(), authority);
  with_list("list-revoked", list.get());
  net::sign_list(list.get(), net::make_authority());
  with_list("list-foreign", list.get());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_corpus FOLDER\n";
    return 2;
  }
  const Corpus corpus(argv[1]);
  add_hellos(corpus);
  add_segments(corpus);
  add_texts(corpus);
  add_requests(corpus);
  add_replies(corpus);
  add_models(corpus);
  add_archives(corpus);
  add_csv_indices(corpus);
  add_tokens(corpus);
  add_manifests(corpus);
  add_control(corpus);
  add_command(corpus);
  add_credentials(corpus);
  return 0;
}
