//! What the store's tests share.
#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod evaluations;

use std::path::Path;

pub use evaluations::*;

/// Does something to an SQLite file from outside.
pub fn sql(file: &Path, statement: &str) {
    sql_at(&format!("sqlite://{}", file.display().to_string().replace(' ', "%20")), statement);
}

/// Does something to a database from outside.
pub fn sql_at(url: &str, statement: &str) {
    sql_then(url, statement, || {});
}

/// The same, and stays connected while it calls `then`.
pub fn sql_then(url: &str, statement: &str, then: impl FnOnce()) {
    sqlx::any::install_default_drivers();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = <sqlx::AnyConnection as sqlx::Connection>::connect(url).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
        then();
        sqlx::Connection::close(connection).await.unwrap();
    });
}
