// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of a server's C interface for modules that this module uses. A server hands out its
// functions by name, so that one module loads into every version: what a server lacks stays null,
// and whoever calls it knows what to do without. Redis 6.2 has all that is not marked.
namespace bloomery::module {

// Theirs, and opaque.
struct Context;
struct String;
struct OpenedKey;
struct Io;
struct Type;
struct Digest;
struct ServerInfo;
struct CallReply;
struct BlockedClient;
struct RegisteredCommand;
struct Info;

inline constexpr int kOk = 0;
inline constexpr int kError = 1;

inline constexpr int kRead = 1;
inline constexpr int kWrite = 2;
inline constexpr int kUntouched = 1 << 16;  // the key does not count as used; from 7.0 on

inline constexpr long long kNeverExpires = -1;

inline constexpr int kKeyEmpty = 0;
inline constexpr int kKeyModule = 6;

inline constexpr int kOfScript = 1 << 0;  // flags of a context
inline constexpr int kOfTransaction = 1 << 1;
inline constexpr int kPrimary = 1 << 2;
inline constexpr int kReplica = 1 << 3;
inline constexpr int kCluster = 1 << 5;
inline constexpr int kFromPrimary = 1 << 12;
inline constexpr int kLoading = 1 << 13;
inline constexpr int kMayNotBlock = 1 << 21;
inline constexpr int kResp3 = 1 << 22;
inline constexpr int kLoadingBeside = 1 << 23;  // a replica, from its primary, 7.0

inline constexpr int kHandlesIoErrors = 1 << 0;  // options of a module
inline constexpr int kSignalsByItself = 1 << 1;
inline constexpr int kLoadsBesideServing = 1 << 2;
inline constexpr int kMovesSlots = 1 << 5;  // Valkey, 9.0; nothing yet on Redis

inline constexpr int kModuleEvent = 1 << 13;

inline constexpr unsigned kUnprefixed = 1 << 9;  // flag of a parameter, from 8.0 on

// An event of the server as a whole.
struct Event {
  std::uint64_t id;
  std::uint64_t data_version;
};
inline constexpr Event kPersistence{1, 1};  // it saves all keys; a forked child says so to itself
inline constexpr std::uint64_t kSavingEnded = 3;
inline constexpr std::uint64_t kSavingFailed = 4;  // the others are beginnings
using EventFunction = void (*)(Context*, Event, std::uint64_t what, void* data);

using CommandFunction = int (*)(Context*, String**, int);
using TimerFunction = void (*)(Context*, void* data);

enum class ReplyType : int { unknown = -1, text, error, integer, array, null };  // of CallReply

// Version 3, which 6.2 knows; later servers go on to take it.
struct TypeMethods {
  std::uint64_t version = 3;
  void* (*rdb_load)(Io*, int encoding_version) = nullptr;
  void (*rdb_save)(Io*, void*) = nullptr;
  void (*aof_rewrite)(Io*, String* key, void*) = nullptr;
  std::size_t (*mem_usage)(const void*) = nullptr;
  void (*digest)(Digest*, void*) = nullptr;
  void (*free)(void*) = nullptr;
  int (*aux_load)(Io*, int, int) = nullptr;  // nothing is stored beside the keys
  void (*aux_save)(Io*, int) = nullptr;
  int aux_save_triggers = 0;
  std::size_t (*free_effort)(String* key, const void*) = nullptr;
  void (*unlink)(String* key, const void*) = nullptr;  // free() does it all
  void* (*copy)(String* from, String* to, const void*) = nullptr;
  int (*defrag)(void*, String*, void**) = nullptr;  // arrays are large, or short-lived
};

// The sizes of what COMMAND INFO and COMMAND DOCS take, from 7.0 on, so that later servers, whose
// structures are larger, can read these.
struct CommandInfoVersion {
  int version = 1;
  std::size_t history_entry_bytes = 2 * sizeof(const char*);
  std::size_t key_spec_bytes = 0;
  std::size_t argument_bytes = 0;
};

inline constexpr std::uint64_t kKeyRead = 1 << 0;  // flags of a key
inline constexpr std::uint64_t kKeyReadWrite = 1 << 1;
inline constexpr std::uint64_t kKeyAccess = 1 << 4;  // its value is told
inline constexpr std::uint64_t kKeyUpdate = 1 << 5;
inline constexpr std::uint64_t kKeyInsert = 1 << 6;

struct KeySpec {
  const char* notes = nullptr;
  std::uint64_t flags = 0;
  int begins_by = 2;  // index; then which
  union Begin {
    int index;
    struct {
      const char* word;
      int from;
    } keyword;
  } begin{1};
  int found_by = 2;  // range; then the last key behind the first, the step and a limit
  int range[3] = {0, 1, 0};

  // The word where the keys would begin is their number.
  void find_by_count() noexcept {
    found_by = 3;
    range[0] = 0;  // behind the beginning: the number, the first key; then the step
    range[1] = 1;
    range[2] = 1;
  }
};

enum class ArgumentType : int { text, integer, real, key, pattern, time, token, one_of, block };
inline constexpr int kOptional = 1 << 0;  // flags of an argument
inline constexpr int kRepeated = 1 << 1;

struct Argument {
  const char* name = nullptr;
  ArgumentType type = ArgumentType::text;
  int key_spec = 0;
  const char* token = nullptr;  // the word before it, or that it is
  const char* summary = nullptr;
  const char* since = nullptr;
  int flags = 0;
  const char* deprecated_since = nullptr;
  const Argument* parts = nullptr;  // of one_of and block; the last has no name
  const char* display_text = nullptr;
};
struct CommandInfo {
  const CommandInfoVersion* version = nullptr;
  const char* summary = nullptr;
  const char* complexity = nullptr;
  const char* since = nullptr;
  void* history = nullptr;
  const char* tips = nullptr;
  int arity = 0;
  KeySpec* key_specs = nullptr;         // ends with one of zeros
  const Argument* arguments = nullptr;  // the last has no name
};

struct Api {
  int (*set_module_attributes)(Context*, const char* name, int version, int api_version);
  int (*is_module_name_busy)(const char* name);
  void (*set_module_options)(Context*, int options);
  int (*create_command)(Context*, const char* name, CommandFunction, const char* flags, int first,
                        int last, int step);
  Type* (*create_data_type)(Context*, const char* name, int version, TypeMethods*);
  void (*log)(Context*, const char* level, const char* format, ...);
  int (*context_flags)(Context*);
  int (*add_acl_category)(Context*, const char* name);                          // 7.4
  RegisteredCommand* (*get_command)(Context*, const char* name);                // 7.0
  int (*set_command_info)(RegisteredCommand*, const CommandInfo*);              // 7.0
  int (*set_command_acl_categories)(RegisteredCommand*, const char* of_flags);  // 7.2

  // 7.0. What get() gives stays the module's; the text of an error becomes the server's.
  int (*register_string_config)(Context*, const char* name, const char* usual, unsigned flags,
                                String* (*get)(const char* name, void* of),
                                int (*set)(const char* name, String*, void* of, String** error),
                                int (*apply)(Context*, void* of, String** error), void* of);
  int (*load_configs)(Context*);          // 7.0
  int (*load_default_configs)(Context*);  // 8.0

  const char* (*string_bytes)(const String*, std::size_t* size);
  String* (*create_string)(Context*, const char*, std::size_t);
  void (*free_string)(Context*, String*);

  OpenedKey* (*open_key)(Context*, String* name, int mode);
  void (*close_key)(OpenedKey*);
  int (*key_type)(OpenedKey*);
  Type* (*type_of_value)(OpenedKey*);
  void* (*value)(OpenedKey*);
  int (*set_value)(OpenedKey*, Type*, void*);
  int (*delete_key)(OpenedKey*);
  int (*set_expire)(OpenedKey*, long long milliseconds);
  long long (*get_expire)(OpenedKey*);  // milliseconds from now; of a key with a value
  int (*signal_modified_key)(Context*, String* name);
  int (*subscribe)(Context*, Event, EventFunction);
  int (*notify_keyspace_event)(Context*, int kind, const char* event, String* key);

  int (*wrong_arity)(Context*);
  int (*reply_error)(Context*, const char*);
  int (*reply_number)(Context*, long long);
  int (*reply_double)(Context*, double);
  int (*reply_simple)(Context*, const char*);
  int (*reply_bytes)(Context*, const char*, std::size_t);
  int (*reply_null)(Context*);
  int (*reply_array)(Context*, long);
  int (*reply_map)(Context*, long);  // 7.0
  int (*reply_bool)(Context*, int);  // 7.0
  int (*replicate)(Context*, const char* command, const char* format, ...);
  int (*replicate_verbatim)(Context*);

  void* (*try_alloc)(std::size_t);                // 7.0
  void* (*try_calloc)(std::size_t, std::size_t);  // 7.4
  void (*free)(void*);
  ServerInfo* (*get_server_info)(Context*, const char* section);
  unsigned long long (*info_number)(ServerInfo*, const char* field, int* error);
  const char* (*info_text)(ServerInfo*, const char* field);
  void (*free_server_info)(Context*, ServerInfo*);

  int (*register_info)(Context*, void (*tell)(Info*, int for_crash_report));
  int (*add_info_section)(Info*, const char* name);  // not kOk: nobody asked for it
  int (*add_info_number)(Info*, const char* field, unsigned long long);

  CallReply* (*call)(Context*, const char* command, const char* format, ...);
  CallReply* (*reply_element)(CallReply*, std::size_t);
  const char* (*reply_text)(CallReply*, std::size_t* size);  // null where it is no text
  void (*free_reply)(CallReply*);
  int (*reply_type)(CallReply*);
  long long (*reply_integer)(CallReply*);
  std::size_t (*reply_length)(CallReply*);

  // `asks_for_keys`, in commands with getkeys-api: whether the server asks where the keys are.
  // `key_at` tells one of them.
  int (*asks_for_keys)(Context*);
  void (*key_at)(Context*, int word);

  std::uint64_t (*client_id)(Context*);  // another one for each connection
  int (*selected_database)(Context*);
  int (*select_database)(Context*, int);
  // The callback gives the reply, when unblock_client() was called; what it may call is what a
  // command may, but for writing. Whoever blocks a client unblocks it, also where it has gone.
  BlockedClient* (*block_client)(Context*, CommandFunction reply, CommandFunction timeout,
                                 void (*free)(Context*, void*), long long timeout_ms);
  int (*unblock_client)(BlockedClient*, void* data);
  // Called where the client goes while it is blocked; then it is unblocked there.
  void (*set_disconnect_callback)(BlockedClient*, void (*gone)(Context*, BlockedClient*));
  std::uint64_t (*create_timer)(Context*, long long milliseconds, TimerFunction, void* data);

  std::uint64_t (*load_unsigned)(Io*);
  double (*load_double)(Io*);
  char* (*load_bytes)(Io*, std::size_t* size);
  int (*is_io_error)(Io*);
  void (*save_unsigned)(Io*, std::uint64_t);
  void (*save_double)(Io*, double);
  void (*save_bytes)(Io*, const char*, std::size_t);
  void (*log_io_error)(Io*, const char* level, const char* format, ...);
  Context* (*context_of)(Io*);
  void (*emit_aof)(Io*, const char* command, const char* format, ...);
  void (*digest_bytes)(Digest*, const char*, std::size_t);
  void (*digest_end)(Digest*);
  int (*module_options)();  // all that the server knows; Valkey
};

// Finds the functions of the server that the context belongs to. Throws std::runtime_error, naming
// what is missing, for a server that is too old.
Api find_api(Context* context);

}  // namespace bloomery::module
