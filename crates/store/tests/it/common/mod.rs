//! Helpers of the store's tests.
#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod evaluations;

use std::path::Path;

pub use evaluations::*;

/// Executes a statement on an SQLite file, as another program would.
pub fn sql(file: &Path, statement: &str) {
    sql_at(
        &format!(
            "sqlite://{}",
            file.display().to_string().replace(' ', "%20")
        ),
        statement,
    );
}

/// Executes a statement on a database, as another program would.
pub fn sql_at(url: &str, statement: &str) {
    sql_then(url, statement, || {});
}

/// Like [`sql_at`], but stays connected while it calls `then`.
pub fn sql_then(url: &str, statement: &str, then: impl FnOnce()) {
    sqlx::any::install_default_drivers();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut connection = <sqlx::AnyConnection as sqlx::Connection>::connect(url)
            .await
            .unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .unwrap();
        then();
        sqlx::Connection::close(connection).await.unwrap();
    });
}
